//! The TLS of connections: which certificates are trusted.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use crate::error::{Error, Result};
use crate::source::input_file;

/// The longest file of certificates.
const CA_BYTES_MAX: u64 = 16 << 20;

/// Returns what makes TLS of a connection, for HTTP/2 only. Trusted are the authorities that browsers
/// trust, and those of the file `ca`, in PEM.
///
/// # Errors
///
/// If the file cannot be read, has no certificate or one that is not valid.
pub(super) fn connector(ca: Option<&Path>) -> Result<TlsConnector> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = ca {
        let refused = |why: &str| {
            Error::usage(format!("{why} in the file of certificates that `ca` of `[fleet]` names"))
                .with_path(path)
        };
        let text = input_file::read(path, CA_BYTES_MAX)?;
        let mut count = 0;
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate = certificate.map_err(|_| refused("damaged PEM"))?;
            roots.add(certificate).map_err(|_| refused("a certificate that is not valid"))?;
            count += 1;
        }
        if count == 0 {
            return Err(refused("no certificate in PEM"));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::usage(format!("TLS cannot be used: {error}")))?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
