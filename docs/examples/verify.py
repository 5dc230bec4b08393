"""Signs and verifies after Standard Webhooks with nothing but the standard library."""
import base64, hashlib, hmac, re, sys, time


def sign(key: str, message_id: str, timestamp: str, body: bytes) -> str:
    secret = base64.b64decode(key.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def verify(key: str, headers: dict, body: bytes, now: float) -> bool:
    timestamp = headers["webhook-timestamp"] or ""
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > 300:
        return False
    wanted = sign(key, headers["webhook-id"], timestamp, body)
    # During a rotation there are two signatures, separated by a space.
    signatures = (headers["webhook-signature"] or "").encode().split(b" ")
    return any(hmac.compare_digest(wanted.encode(), each) for each in signatures)


if __name__ == "__main__":
    key, message_id, timestamp, signature = sys.argv[1:5]
    headers = {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    sys.exit(0 if verify(key, headers, sys.stdin.buffer.read(), time.time()) else 1)
