// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/host_list.h"

#include <fmt/format.h>

#include <set>

#include "support/error.h"
#include "support/json_text.h"
#include "tools/data/files.h"

namespace vdla::tools {

using nlohmann::ordered_json;

namespace {

struct ListedBoard {
  RemoteFlags flags;
  std::string node;  ///< or empty
};

std::vector<ListedBoard> boards_in(const std::filesystem::path& file) {
  const JsonText text(read_text(file.string()), file.string());
  const auto need = [&](bool good, const std::string& pointer, const char* needed) {
    VDLA_CHECK_USER(good) << text.at(pointer) << " needs " << needed;
  };
  const ordered_json& json = text.root();
  need(json.is_object() && json.contains("boards") && json["boards"].is_array(), "/boards",
       "a list of boards: {\"boards\": [{\"host\": \"board.lab\", \"certificates\": \"lab\"}]}");
  std::vector<ListedBoard> rows;
  for (const ordered_json& row : json["boards"]) {
    const std::string at = fmt::format("/boards/{}", rows.size());
    need(row.is_object() && row.contains("host"), at, "an object with \"host\": {\"host\": \"board.lab\"}");
    for (const auto& [key, value] : row.items()) {
      need(key == "host" || key == "certificates" || key == "node", at + "/" + key,
           "to be \"host\", \"certificates\" or \"node\"");
      need(value.is_string(), at + "/" + key, "a text");
    }
    ListedBoard& made = rows.emplace_back();
    made.flags.board = row["host"];
    if (row.contains("certificates")) made.flags.certificates = file.parent_path() / row["certificates"];
    made.node = row.value("node", "");
  }
  return rows;
}

}  // namespace

std::vector<RemoteFlags> read_hosts(const std::filesystem::path& file) {
  std::vector<RemoteFlags> hosts;
  for (ListedBoard& row : boards_in(file)) hosts.push_back(std::move(row.flags));
  return hosts;
}

std::vector<RemoteFlags> hosts_of_node(const std::filesystem::path& file, const std::string& node) {
  std::vector<RemoteFlags> hosts;
  for (ListedBoard& row : boards_in(file))
    if (row.node.empty() || row.node == node) hosts.push_back(std::move(row.flags));
  VDLA_CHECK_USER(!hosts.empty()) << file.string() << " has no board of node '" << node
                                  << "', needs one with \"node\": \"" << node << "\"";
  return hosts;
}

std::vector<RemoteFlags> fleet_of(const std::string& text) {
  std::vector<RemoteFlags> fleet;
  if (text.ends_with(".json")) {
    fleet = read_hosts(text);
    VDLA_CHECK_USER(!fleet.empty()) << "--fleet " << text << " has no boards, needs at least one";
  } else {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      fleet.emplace_back().board = text.substr(at, end - at);
      at = end + 1;
    }
  }
  std::set<std::string> names;
  for (const RemoteFlags& board : fleet)
    VDLA_CHECK_USER(names.insert(board.board).second) << "--fleet " << text << " names '" << board.board
                                                      << "' twice; a board is measured on by one process";
  return fleet;
}

}  // namespace vdla::tools
