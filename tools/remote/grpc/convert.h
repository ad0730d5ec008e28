// SPDX-License-Identifier: Apache-2.0
// Messages of the wire to and from the structs of tools/remote/messages.h. Users of the structs check what
// comes in; a list that is too short or too long is cut to the struct's.
#pragma once

#include "tools/remote/grpc/board.pb.h"
#include "tools/remote/messages.h"

namespace vdla::remote {

void to_wire(const Facts& facts, wire::Facts& out);
Facts from_wire(const wire::Facts& in);
void to_wire(const LeaseRequest& request, wire::LeaseRequest& out);
LeaseRequest from_wire(const wire::LeaseRequest& in);
void to_wire(const LeaseGrant& grant, wire::LeaseGrant& out);
LeaseGrant from_wire(const wire::LeaseGrant& in);
void to_wire(const UploadHead& head, wire::UploadHead& out);
UploadHead from_wire(const wire::UploadHead& in);
void to_wire(const RunRequest& request, wire::RunRequest& out);
RunRequest from_wire(const wire::RunRequest& in);
void to_wire(const RunReply& reply, wire::RunReply& out);
RunReply from_wire(const wire::RunReply& in);
void to_wire(const HookRequest& request, wire::HookRequest& out);
HookRequest from_wire(const wire::HookRequest& in);

void to_wire(const driver::TransportFacts& facts, wire::TransportFacts& out);
driver::TransportFacts from_wire(const wire::TransportFacts& in);
void to_wire(const AccessCall& call, wire::AccessCall& out);
AccessCall from_wire(const wire::AccessCall& in);
void to_wire(const driver::AccessReply& reply, wire::AccessReply& out);
driver::AccessReply from_wire(const wire::AccessReply& in);

}  // namespace vdla::remote
