// SPDX-License-Identifier: Apache-2.0
// Compiled in front of Verilator's FST writer (-include): the files of that writer. It looks at no result of
// a write, keeps parts in files of the temporary folder that it maps into memory (on a full disk that is
// SIGBUS), and unlinks what stands under the name that it gets. Here the first error is noted, parts are in
// memory, and the name's file stays the file that it was.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace vdla::fst {

/// errno of the first write that failed since the latest file was opened; 0: none.
inline std::atomic<int> error = 0;

inline void note(bool good) {
  if (!good && error == 0) error = errno == 0 ? EIO : errno;
}

inline FILE* open_memory() {
  const int descriptor = memfd_create("fst", MFD_CLOEXEC);
  note(descriptor >= 0);
  return descriptor < 0 ? nullptr : fdopen(descriptor, "w+b");
}

inline FILE* open_file(const char* path, const char* mode) {
  if (std::string(path).ends_with(".hier")) return open_memory();  // a part, in the end inside of the file
  return std::fopen(path, mode);
}

inline std::size_t write_file(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  const std::size_t written = std::fwrite(bytes, size, count, file);
  note(size == 0 || written == count);
  return written;
}

inline int put_file(int c, FILE* file) {
  const int put = std::fputc(c, file);
  note(put != EOF);
  return put;
}

inline int flush_file(FILE* file) {
  const int result = std::fflush(file);
  note(result == 0);
  return result;
}

inline int seek_file(FILE* file, off_t offset, int whence) {
  const int result = fseeko(file, offset, whence);
  note(result == 0);
  return result;
}

inline int close_file(FILE* file) {
  const int result = std::fclose(file);
  note(result == 0);
  return result;
}

/// Maps a file. Bytes of a map beyond the end of its file cannot be touched: a part that could not grow (a
/// limit on files holds in memory too) is an error, and memory without a file takes its place.
inline void* map_file(std::size_t size, int protection, int flags, int descriptor, off_t offset) {
  struct stat status{};
  const bool whole = fstat(descriptor, &status) == 0 && status.st_size >= offset + static_cast<off_t>(size);
  if (whole) return mmap(nullptr, size, protection, flags, descriptor, offset);
  errno = EFBIG;
  note(false);
  return mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

inline int keep_file(const char*) { return 0; }

}  // namespace vdla::fst

#define tmpfile() vdla::fst::open_memory()
#define fopen(path, mode) vdla::fst::open_file(path, mode)
#define fwrite(bytes, size, count, file) vdla::fst::write_file(bytes, size, count, file)
#define fputc(c, file) vdla::fst::put_file(c, file)
#define fflush(file) vdla::fst::flush_file(file)
#define fseeko(file, offset, whence) vdla::fst::seek_file(file, offset, whence)
#define fclose(file) vdla::fst::close_file(file)
#define mmap(address, size, protection, flags, descriptor, offset) \
  vdla::fst::map_file(size, protection, flags, descriptor, offset)
#define unlink(path) vdla::fst::keep_file(path)
