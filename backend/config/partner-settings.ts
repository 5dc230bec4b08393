/** The bank that PARTNER_ID, PARTNER_URL and PARTNER_SECRET name. */
import { isOwnerId } from "../contract/owner-id.ts";
import { addressProblem } from "../partner/address.ts";
import { newKeyProblem, sandboxKey, sandboxPartnerId } from "../partner/key.ts";
import type { ParsedSettings } from "./environment.ts";

type PartnerSettings = Pick<ParsedSettings, "SANDBOX" | "PARTNER_ID" | "PARTNER_URL" | "PARTNER_SECRET">;

/** One bank needs all three of its settings; none of them is right too. In the sandbox the address alone is enough. */
export const partnerFrom = ({ SANDBOX: sandbox, ...value }: PartnerSettings) => {
  const three = { PARTNER_ID: value.PARTNER_ID, PARTNER_URL: value.PARTNER_URL, PARTNER_SECRET: value.PARTNER_SECRET };
  if (Object.values(three).every((text) => text === undefined)) return { partner: null, problems: [] };
  if (sandbox) {
    three.PARTNER_ID ??= sandboxPartnerId;
    three.PARTNER_SECRET ??= sandboxKey;
  }
  const { PARTNER_ID: id, PARTNER_URL: url, PARTNER_SECRET: secret } = three;
  const missing = Object.entries(three).flatMap(([name, text]) => (text === undefined ? [name] : []));
  if (id === undefined || url === undefined || secret === undefined)
    return {
      partner: null,
      problems: [
        `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing: one bank needs all of ${Object.keys(three).join(", ")}`,
      ],
    };
  const address = addressProblem(url, sandbox);
  const key = newKeyProblem(secret, sandbox);
  const problems = [
    ...(isOwnerId(id) ? [] : ["PARTNER_ID must be 1 to 64 of letters, digits, . _ -"]),
    ...(address === null ? [] : [`PARTNER_URL ${address}`]),
    ...(key === null ? [] : [`PARTNER_SECRET ${key}; make one with: partners add`]),
  ];
  return { partner: { id, url: url.replace(/\/+$/, ""), secret }, problems };
};
