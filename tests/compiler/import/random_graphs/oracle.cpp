// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_graphs/oracle.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "support/error.h"

namespace vdla::random_graphs {
namespace {

void add(std::string& bytes, std::size_t number) {
  const auto word = static_cast<std::uint32_t>(number);
  bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
}
void add(std::string& bytes, const std::string& part) {
  add(bytes, part.size());
  bytes += part;
}

std::string question(const Drawn& drawn) {
  std::string bytes;
  add(bytes, drawn.model.SerializeAsString());
  add(bytes, drawn.inputs.size());
  for (const auto& [name, array] : drawn.inputs) {
    add(bytes, name);
    add(bytes, static_cast<std::size_t>(onnx_code(array.type)));
    add(bytes, array.shape.size());
    for (const std::int64_t d : array.shape) add(bytes, static_cast<std::size_t>(d));
    add(bytes, std::string(reinterpret_cast<const char*>(array.data->data()), array.data->size()));
  }
  std::string framed;
  add(framed, bytes);
  return framed;
}

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  std::uint32_t number() {
    std::uint32_t word = 0;
    const std::string four = take(sizeof(word));
    std::memcpy(&word, four.data(), sizeof(word));
    return word;
  }
  std::string part() { return take(number()); }
  std::string rest() { return take(bytes_.size() - at_); }

 private:
  std::string take(std::size_t count) {
    VDLA_CHECK(at_ + count <= bytes_.size()) << "an answer ends at byte " << bytes_.size();
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

DataType type_of(std::uint32_t code) {
  for (const DataType t :
       {DataType::Float32, DataType::UInt8, DataType::Int8, DataType::UInt16, DataType::Int16,
        DataType::Int32, DataType::Int64, DataType::Bool, DataType::UInt32, DataType::UInt64})
    if (onnx_code(t) == static_cast<int>(code)) return t;
  VDLA_CHECK(false) << "an answer has a tensor of ONNX's type " << code;
  return DataType::Float32;
}

Answer parsed(const std::string& bytes) {
  Reader reader(bytes);
  Answer answer;
  if (reader.number() == 0) return {{}, reader.rest()};
  for (std::uint32_t left = reader.number(); left-- > 0;) {
    const std::string name = reader.part();
    import::Array array{type_of(reader.number()), {}, nullptr};
    for (std::uint32_t rank = reader.number(); rank-- > 0;) array.shape.push_back(reader.number());
    const std::string data = reader.part();
    const auto raw = std::as_bytes(std::span(data));
    array.data = std::make_shared<const graph::Bytes>(raw.begin(), raw.end());
    answer.outputs.emplace_back(name, std::move(array));
  }
  return answer;
}

}  // namespace

void Oracle::start() {
  int to[2], from[2];
  VDLA_CHECK(pipe(to) == 0 && pipe(from) == 0) << "cannot make a pipe";
  process_ = fork();
  VDLA_CHECK(process_ >= 0) << "cannot start a process";
  if (process_ == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
    execl("/bin/sh", "sh", "-c", ("exec " + command_).c_str(), nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_ = to[1];
  from_ = from[0];
  signal(SIGPIPE, SIG_IGN);
}

void Oracle::stop() {
  if (process_ < 0) return;
  close(to_);
  close(from_);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

bool Oracle::send(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(to_, bytes.data() + at, bytes.size() - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

bool Oracle::receive(void* to, std::size_t count) {
  for (std::size_t at = 0; at < count;) {
    const ssize_t n = read(from_, static_cast<char*>(to) + at, count - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

Answer Oracle::ask(const Drawn& drawn) {
  if (process_ < 0) start();
  std::uint32_t length = 0;
  if (send(question(drawn)) && receive(&length, sizeof(length))) {
    std::string bytes(length, 0);
    if (receive(bytes.data(), length)) return parsed(bytes);
  }
  stop();
  return {{}, "the process ended"};
}

}  // namespace vdla::random_graphs
