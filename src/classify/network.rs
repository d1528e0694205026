//! What the error codes of network layers mean.

use super::rules::{self, Meaning, is_code};
use crate::types::Phase;

/// The codes, with `|` between them, and what they mean wherever the attempt stood.
///
/// Node and libuv write `E…`, undici `UND_ERR_…`, OpenSSL `CERT_…`, `UNABLE_TO_…` and `ERR_SSL_…`, nghttp2
/// `NGHTTP2_…`, Chromium `ERR_…`, Deno and Bun words; SDKs and axios have names of their own.
const TABLE: &[(&str, Meaning)] = &[
    (
        "AbortError|ABORT_ERR|ERR_ABORTED|ERR_CANCELED|ERR_CANCELLED|CanceledError|UND_ERR_ABORTED|\
         APIUserAbortError|UND_ERR_ABORT|NS_BINDING_ABORTED|Interrupted|ResponseAborted|RequestAbortedError|AbortSignal",
        rules::ABORTED,
    ),
    // The caller's own deadline: its budget is gone.
    ("TimeoutError|TIMEOUT_ERR", rules::UNKNOWN_FOR_GOOD),
    // The secret holds what no header may hold; it never left.
    (
        "ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE|ERR_HTTP2_INVALID_HEADER_VALUE|\
         ERR_INVALID_HTTP_TOKEN|UND_ERR_INVALID_ARG|InvalidCharacterError",
        rules::AUTH,
    ),
    (
        "ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS|ERR_INVALID_ARG_TYPE|\
         ERR_UNKNOWN_URL_SCHEME|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|ERR_BAD_OPTION|ERR_BAD_OPTION_VALUE",
        rules::CLIENT,
    ),
    // A certificate that nobody should trust: a proxy that reads along, a wrong clock, a wrong root.
    (
        "*CERT_|*_CERT|CERT_HAS_EXPIRED|*SELF_SIGNED|*UNABLE_TO_|ERR_TLS_CERT_ALTNAME_INVALID|\
         *ERR_SSL_|*ERR_CERT|EPROTO|ERR_TLS_INVALID_PROTOCOL_VERSION|HOSTNAME_MISMATCH|\
         INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|*UnknownIssuer|*InvalidCertificate|\
         *invalid peer certificate|*CERTIFICATE_VERIFY_FAILED|*CRL_",
        rules::EGRESS,
    ),
    // The proxy that the app goes through.
    (
        "*UND_ERR_PRX|EACCES|EPERM|*PROXY|*ERR_TUNNEL|ERR_SOCKS_CONNECTION_FAILED|ERR_BLOCKED_BY_CLIENT|\
         ERR_BLOCKED_BY_ADMINISTRATOR|ERR_BLOCKED_BY_RESPONSE|ERR_NETWORK_ACCESS_DENIED|\
         ERR_ACCESS_DENIED|NotCapable|PermissionDenied",
        rules::EGRESS,
    ),
    // Nothing was sent. HTTP/2 promises that for a refused stream (RFC 9113 section 8.7).
    (
        "ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NODATA|EAI_NONAME|ENODATA|ESERVFAIL|ETIMEOUT|\
         UND_ERR_CONNECT_TIMEOUT|ERR_SOCKET_CONNECTION_TIMEOUT|HttpClientConnectTimeoutError|\
         EAI_FAMILY|EAI_SERVICE|ENONAME|*client error (Connect)|*tcp connect error|*dns error|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|\
         EADDRINUSE|EMFILE|ENFILE|NGHTTP2_REFUSED_STREAM|ERR_HTTP2_STREAM_REFUSED|ConnectionRefused|\
         FailedToOpenSocket|DNSException|*DNS_|UnableToConnect|AddrNotAvailable|\
         ERR_CONNECTION_REFUSED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_TIMED_OUT|\
         ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_UNREACHABLE|ERR_CONNECTION_FAILED|\
         ERR_TLS_HANDSHAKE_TIMEOUT|UND_ERR_BPL_MISSING_UPSTREAM|ERR_TLS_DH_PARAM_SIZE",
        rules::FAILED,
    ),
    ("NGHTTP2_ENHANCE_YOUR_CALM|ENHANCE_YOUR_CALM", rules::BUSY),
];

/// What a code means: how far the request came decides more than the code.
pub(super) fn meaning(code: &str, phase: Phase) -> Meaning {
    // `fetch failed`, `Failed to fetch` and `Load failed` are messages that say nothing; so are `EPIPE`,
    // `ECONNRESET` and time-outs after the request was sent.
    let code = code.strip_prefix("net::").unwrap_or(code);
    if is_code("*BAD_RECORD_MAC|*SSL_UNEXPECTED_EOF", code) && phase != Phase::BeforeSend {
        // The one trouble of TLS that comes long after its handshake.
        return rules::UNKNOWN;
    }
    let known = TABLE.iter().find(|(codes, _)| is_code(codes, code)).map(|(_, meaning)| *meaning);
    match (known, phase) {
        (Some(known), _) if known == rules::ABORTED => known,
        (_, Phase::AfterContent) => rules::UNKNOWN,
        (Some(known), _) => known,
        (None, Phase::BeforeSend) => rules::FAILED,
        (None, _) => rules::UNKNOWN,
    }
}
