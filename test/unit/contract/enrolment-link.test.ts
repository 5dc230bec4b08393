/** What the QR code of an enrolment holds is read as a person would type it, if its address and its code hold. */
import { expect, test } from "vitest";
import { makeEnrolmentLink, readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { makeEnrolmentCode } from "../../../backend/contract/ids.ts";

const serviceUrl = "https://cash.example/till";
const code = makeEnrolmentCode(new Uint8Array(11).fill(7));
const wrong = `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;

test.each([
  ["as it was made", serviceUrl, code, { serviceUrl, code }],
  ["in groups and small letters", serviceUrl, code.toLowerCase().replace(/(.{4})(?=.)/g, "$1-"), { serviceUrl, code }],
  ["with a wrong letter", serviceUrl, wrong, null],
  ["of an address without TLS", "http://cash.example", code, null],
])("a code %s", (_, url, written, read) => {
  expect(readEnrolmentLink(makeEnrolmentLink({ serviceUrl: url, code: written }))).toEqual(read);
});

test("another program's link of the same form is none", () => {
  const link = makeEnrolmentLink({ serviceUrl, code });
  expect(readEnrolmentLink(link)).not.toBeNull();
  expect(readEnrolmentLink(`x${link.slice(1)}`)).toBeNull();
});
