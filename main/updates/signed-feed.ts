/**
 * A feed with its signature in one file, so that the two cannot come from different releases: electron-builder's YAML, and a
 * last line, which YAML takes for a comment: `# ed25519 KEYID SIGNATURE`. It covers every byte before that line.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** Signed in front of the text, so that no other text signed with the same key can pass for a feed. */
const purpose = "Tillcash update feed, format 1\n";
const lastLine = /^([\s\S]*\n)# ed25519 ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n$/;

const toSign = (text: string): Buffer => Buffer.from(purpose + text, "utf8");

/** A public key as the release's configuration writes it: DER in base64. @throws Error when it is no Ed25519 key. */
export const publicKeyFrom = (base64: string): KeyObject => {
  const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
  if (key.asymmetricKeyType !== "ed25519") throw new Error("an update key must be an Ed25519 key");
  return key;
};

/** The reverse of `publicKeyFrom`; takes a private key too. */
export const publicKeyText = (key: KeyObject): string =>
  (key.type === "private" ? createPublicKey(key) : key).export({ format: "der", type: "spki" }).toString("base64");

/** Names a key in a signature's line. */
const keyIdOf = (key: KeyObject): string => createHash("sha256").update(publicKeyText(key)).digest("hex").slice(0, 16);

/** The text with its signature. @param text without one. */
export const signFeed = (text: string, privateKey: KeyObject): string => {
  const body = text.endsWith("\n") ? text : `${text}\n`;
  return `${body}# ed25519 ${keyIdOf(privateKey)} ${sign(null, toSign(body), privateKey).toString("base64")}\n`;
};

/** The signed text without its signature line, or why it is not trusted. */
export type OpenedFeed =
  | { readonly kind: "signed"; readonly text: string }
  | { readonly kind: "unsigned" }
  | { readonly kind: "wrong_signature" };

/** Verifies the signature and reads nothing else of the document. @param keys any of them may have signed. */
export const openFeed = (document: string, keys: readonly KeyObject[]): OpenedFeed => {
  const [, text, keyId, signature] = lastLine.exec(document) ?? [];
  if (text === undefined || signature === undefined) return { kind: "unsigned" };
  const key = keys.find((one) => keyIdOf(one) === keyId);
  const isRight = key !== undefined && verify(null, toSign(text), key, Buffer.from(signature, "base64"));
  return isRight ? { kind: "signed", text } : { kind: "wrong_signature" };
};
