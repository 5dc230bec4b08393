/** From the bytes of a body to one JSON object: JSON only, and form-encoded where an operation takes it. */
import { parseStrictJson } from "../contract/strict-json.ts";
import { ServiceError } from "../service-error.ts";
import { type HttpContext, headerOf } from "./http-context.ts";
import { decodeText, readBody } from "./read-body.ts";

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

const invalid = (detail: string) => new ServiceError("validation_failed", detail);

/** An empty parameter counts as left out, but not twice (RFC 6749 §3.2). */
const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = {};
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (names.has(name)) throw invalid("The body has a parameter twice");
    if (name === "__proto__" || `${name}${value}`.includes("\0"))
      throw invalid("The body has a parameter that cannot be");
    names.add(name);
    if (value !== "") fields[name] = value;
  }
  return fields;
};

/** @throws ServiceError `unsupported_media_type`, `payload_too_large` or `validation_failed`. */
export const parseBody = async (c: HttpContext, takesForms: "too" | "only" | undefined): Promise<unknown> => {
  const type = headerOf(c, "content-type") ?? "";
  const isForm = takesForms !== undefined && formType.test(type);
  if (takesForms === "only" && !isForm)
    throw new ServiceError("unsupported_media_type", "The body must be application/x-www-form-urlencoded");
  if (!isForm && type !== "application/json" && !jsonType.test(type)) throw new ServiceError("unsupported_media_type");
  const encoding = headerOf(c, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new ServiceError("unsupported_media_type", "The body must not be compressed");
  const text = decodeText(await readBody(c));
  if (isForm) return parseForm(text);
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw invalid(`The body ${parsed.why}`);
  return parsed.value;
};
