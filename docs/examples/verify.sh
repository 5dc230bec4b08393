#!/bin/sh
# verify.sh KEY ID TIMESTAMP SIGNATURE < BODY: succeeds when the signature is right and not older than five minutes.
# Digits alone may reach the arithmetic: a shell would run what else a stranger writes there.
case $3 in "" | *[!0-9]* | ?????????????*) exit 1 ;; esac
key=$(printf %s "${1#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
age=$(($(date +%s) - $3))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || exit 1
wanted=v1,$({ printf '%s.%s.' "$2" "$3"; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
for signature in $4; do [ "$signature" = "$wanted" ] && exit 0; done
exit 1
