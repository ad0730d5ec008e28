// SPDX-License-Identifier: Apache-2.0
// Certificates of one's own, by OpenSSL, which gRPC needs anyway.
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <stdexcept>

#include "tools/remote/grpc/parts.h"

namespace vdla::remote {
namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* p) const {
    kFree(p);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
struct Pair {
  Key key;
  Certificate certificate;
};

void require(bool good) {
  if (good) return;
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  throw std::runtime_error(std::string("OpenSSL: ") + text.data());
}

template <class Write>
std::string pem(Write write) {
  const std::unique_ptr<BIO, Free<BIO_vfree>> memory(BIO_new(BIO_s_mem()));
  require(memory && write(memory.get()) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Identity texts(const Pair& pair) {
  return {pem([&](BIO* to) { return PEM_write_bio_X509(to, pair.certificate.get()); }), pem([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, pair.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

void add(X509& certificate, X509& issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension && X509_add_ext(&certificate, extension.get(), -1) == 1);
}

/// Signed by `issuer`, or by itself.
Pair make(const std::string& name, unsigned days, const Pair* issuer,
          const std::vector<std::pair<int, std::string>>& extensions) {
  Pair made{Key(EVP_EC_gen("P-256")), Certificate(X509_new())};
  require(made.key && made.certificate);
  X509& x = *made.certificate;
  std::array<unsigned char, 16> serial{};
  require(RAND_bytes(serial.data(), serial.size()) == 1);
  serial[0] &= 0x7f;
  const std::unique_ptr<BIGNUM, Free<BN_free>> number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&x)) != nullptr);
  require(X509_set_version(&x, X509_VERSION_3) == 1);
  X509_gmtime_adj(X509_getm_notBefore(&x), -3600);  // clocks of boards are late
  X509_time_adj_ex(X509_getm_notAfter(&x), static_cast<int>(days), 0, nullptr);
  X509_NAME* subject = X509_get_subject_name(&x);
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1);
  X509& signer = issuer != nullptr ? *issuer->certificate : x;
  require(X509_set_issuer_name(&x, X509_get_subject_name(&signer)) == 1);
  require(X509_set_pubkey(&x, made.key.get()) == 1);
  for (const auto& [kind, value] : extensions) add(x, signer, kind, value);
  require(X509_sign(&x, issuer != nullptr ? issuer->key.get() : made.key.get(), EVP_sha256()) > 0);
  return made;
}

bool is_address(const std::string& host) {
  in6_addr buffer{};
  return inet_pton(AF_INET, host.c_str(), &buffer) == 1 || inet_pton(AF_INET6, host.c_str(), &buffer) == 1;
}

}  // namespace

Authority make_certificates(const std::vector<std::string>& hosts, const std::string& client, unsigned days) {
  std::string names;
  for (const std::string& host : hosts)
    names += (names.empty() ? "" : ",") + std::string(is_address(host) ? "IP:" : "DNS:") + host;
  const Pair ca = make("VDLA boards", days, nullptr,
                       {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                        {NID_key_usage, "critical,keyCertSign"},
                        {NID_subject_key_identifier, "hash"}});
  const auto signed_by_ca = [&](const std::string& name,
                                std::vector<std::pair<int, std::string>> extensions) {
    extensions.insert(extensions.begin(), {{NID_basic_constraints, "critical,CA:FALSE"},
                                           {NID_key_usage, "critical,digitalSignature"}});
    return texts(make(name, days, &ca, extensions));
  };
  return {texts(ca).certificate,
          signed_by_ca(hosts.at(0), {{NID_ext_key_usage, "serverAuth"}, {NID_subject_alt_name, names}}),
          signed_by_ca(client, {{NID_ext_key_usage, "clientAuth"}})};
}

}  // namespace vdla::remote
