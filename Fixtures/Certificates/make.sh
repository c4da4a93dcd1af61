#!/bin/sh
# Makes the test certificates again; see README.md. Needs OpenSSL 3.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# request NAME: a P-256 key and a signing request.
request() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=LensSim test $1" \
        -keyout "$work/$1-key.pem" -out "$work/$1.csr"
}

# sign NAME FIRST LAST EXTENSIONS ISSUER...: the certificate, valid from FIRST to LAST.
sign() {
    name=$1 first=$2 last=$3 extensions=$4
    shift 4
    : >"$work/index.txt"
    openssl rand -hex 8 >"$work/serial"
    printf '%b' "[ca]\ndefault_ca=d\n[d]\ndatabase=$work/index.txt\nserial=$work/serial\nnew_certs_dir=$work\n" \
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n" >"$work/ca.cnf"
    printf '%b' "$extensions" >"$work/extensions"
    openssl ca -batch -notext -config "$work/ca.cnf" -in "$work/$name.csr" -out "$name.pem" \
        -extfile "$work/extensions" -startdate "$first" -enddate "$last" "$@"
}

# root NAME
root() {
    request "$1"
    sign "$1" 20200101000000Z 21251231235959Z \
        "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n" \
        -selfsign -keyfile "$work/$1-key.pem"
}

# leaf NAME SUBJECT_ALTERNATIVE_NAMES ROOT LAST
leaf() {
    request "$1"
    sign "$1" 20200101000000Z "$4" \
        "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=$2\n" \
        -cert "$3.pem" -keyfile "$work/$3-key.pem"
    cp "$work/$1-key.pem" "$1-key.pem"
}

root root
root other-root
leaf localhost "DNS:localhost,IP:127.0.0.1,IP:::1" root 21251231235959Z
leaf wrong-host "DNS:elsewhere.example" root 21251231235959Z
leaf expired "DNS:localhost,IP:127.0.0.1" root 20200201000000Z
leaf untrusted "DNS:localhost,IP:127.0.0.1" other-root 21251231235959Z
sha256sum ./*.pem >SHA256SUMS
