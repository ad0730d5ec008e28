// SPDX-License-Identifier: Apache-2.0
// The C interface: exceptions become statuses here, and nowhere else.
#include "runtime/vdla.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/container/module_file.h"
#include "runtime/device/device.h"
#include "runtime/session/port.h"
#include "runtime/session/session.h"
#include "support/error.h"

struct vdla_rt_module {
  vdla::runtime::Module module;
};

struct vdla_rt_session {
  vdla::runtime::Session session;
  std::string warning = {};
};

namespace vdla::runtime {
namespace {

/// A caller's buffer for the message.
struct Message {
  char* text;
  std::size_t size;

  void set(const char* what) const {
    if (!text || size == 0) return;
    const std::size_t length = std::min(size - 1, std::strlen(what));
    std::memcpy(text, what, length);
    text[length] = '\0';
  }
};

template <class Body>
vdla_rt_status guarded(Message message, Body body) {
  message.set("");
  try {
    body();
    return VDLA_RT_OK;
  } catch (const DeviceError& e) {
    message.set(e.what());
    return VDLA_RT_DEVICE;
  } catch (const UserError& e) {
    message.set(e.what());
    return VDLA_RT_INVALID;
  } catch (const std::bad_alloc&) {
    message.set("out of memory");
    return VDLA_RT_MEMORY;
  } catch (const std::exception& e) {
    message.set(e.what());
    return VDLA_RT_INTERNAL;
  }
}

void describe(const std::vector<Port>& ports, std::size_t index, vdla_rt_port& out) {
  VDLA_CHECK_USER(index < ports.size()) << "port " << index << " does not exist; there are " << ports.size();
  const Port& port = ports[index];
  out = {.name = port.name.c_str(),
         .type = name_of(port.model_type).data(),  // the names are literals, hence terminated
         .bytes = model_bytes(port),
         .rank = port.model_shape.size(),
         .shape = port.model_shape.data()};
}

void run(vdla_rt_session& opened, const void* const* inputs, void* const* outputs, vdla_rt_result* result) {
  Session& session = opened.session;
  std::vector<Bytes> values;
  for (std::size_t i = 0; i < session.module().inputs.size(); ++i) {
    const auto* begin = static_cast<const std::byte*>(inputs[i]);
    VDLA_CHECK_USER(begin != nullptr)
        << "input '" << session.module().inputs[i].name << "' is a null pointer";
    values.emplace_back(begin, begin + model_bytes(session.module().inputs[i]));
  }
  const Result made = session.run_model(values);
  opened.warning = made.warning;
  for (std::size_t i = 0; i < made.outputs.size(); ++i) {
    VDLA_CHECK_USER(outputs[i] != nullptr)
        << "output '" << session.module().outputs[i].name << "' is a null pointer";
    std::memcpy(outputs[i], made.outputs[i].data(), made.outputs[i].size());
  }
  if (result)
    *result = {.cycles = made.cycles, .read_bytes = made.read_bytes, .write_bytes = made.write_bytes};
}

}  // namespace
}  // namespace vdla::runtime

using vdla::runtime::guarded;
using vdla::runtime::Message;

vdla_rt_status vdla_rt_module_load(const char* path, vdla_rt_module** module, char* message,
                                   size_t message_size) {
  return guarded(Message{message, message_size},
                 [&] { *module = new vdla_rt_module{vdla::runtime::load(path)}; });
}

vdla_rt_status vdla_rt_module_load_signed(const char* path, const char* public_key, vdla_rt_module** module,
                                          char* message, size_t message_size) {
  return guarded(Message{message, message_size}, [&] {
    *module = new vdla_rt_module{
        vdla::runtime::load(path, {.trusted = vdla::runtime::read_public_key(public_key)})};
  });
}

vdla_rt_status vdla_rt_module_parse(const void* bytes, size_t size, vdla_rt_module** module, char* message,
                                    size_t message_size) {
  return guarded(Message{message, message_size}, [&] {
    *module =
        new vdla_rt_module{vdla::runtime::parse({static_cast<const std::byte*>(bytes), size}, "module")};
  });
}

void vdla_rt_module_free(vdla_rt_module* module) { delete module; }

size_t vdla_rt_input_count(const vdla_rt_module* module) { return module->module.inputs.size(); }
size_t vdla_rt_output_count(const vdla_rt_module* module) { return module->module.outputs.size(); }

vdla_rt_status vdla_rt_input(const vdla_rt_module* module, size_t index, vdla_rt_port* port, char* message,
                             size_t message_size) {
  return guarded(Message{message, message_size},
                 [&] { vdla::runtime::describe(module->module.inputs, index, *port); });
}

vdla_rt_status vdla_rt_output(const vdla_rt_module* module, size_t index, vdla_rt_port* port, char* message,
                              size_t message_size) {
  return guarded(Message{message, message_size},
                 [&] { vdla::runtime::describe(module->module.outputs, index, *port); });
}

vdla_rt_status vdla_rt_session_open(const vdla_rt_module* module, const vdla_transport* transport,
                                    vdla_rt_session** session, char* message, size_t message_size) {
  return guarded(Message{message, message_size}, [&] {
    *session = new vdla_rt_session{vdla::runtime::Session(module->module, transport, {})};
  });
}

void vdla_rt_session_close(vdla_rt_session* session) { delete session; }

vdla_rt_status vdla_rt_run(vdla_rt_session* session, const void* const* inputs, void* const* outputs,
                           vdla_rt_result* result, char* message, size_t message_size) {
  return guarded(Message{message, message_size},
                 [&] { vdla::runtime::run(*session, inputs, outputs, result); });
}

void vdla_rt_reset_state(vdla_rt_session* session) { session->session.reset_state(); }

const char* vdla_rt_warning(const vdla_rt_session* session) { return session->warning.c_str(); }
