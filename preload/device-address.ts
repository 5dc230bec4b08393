/** Where a drawer or a printer may be: in the shop's own network, at the ports that printers listen on. Pure; the pages check with it too. */

/** Raw printing: JetDirect's 9100 to 9109, Zebra's 6101. */
export const isPrinterPort = (port: number): boolean => (port >= 9100 && port <= 9109) || port === 6101;

const ipv4 = (text: string): readonly number[] | null => {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return null;
  const numbers = parts.map(Number);
  return numbers.every((number) => number <= 255) ? numbers : null;
};

/** Whether it is this machine's own address, or a private one that no router forwards. @param address numeric, without brackets. */
export const isPrivateAddress = (address: string): boolean => {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  const [a, b] = ipv4(plain) ?? [];
  if (a !== undefined && b !== undefined) {
    if (plain === "169.254.169.254") return false;
    return (
      a === 10 || a === 127 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 169 && b === 254)
    );
  }
  return plain === "::1" || /^f[cd][0-9a-f]{2}:/.test(plain) || /^fe[89ab][0-9a-f]:/.test(plain);
};

const isName = (host: string): boolean =>
  host.length <= 253 && host.split(".").every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label));

/** Numeric addresses in other spellings, which a lenient parser takes for an IP: `0x7f.1`, `2130706433`. */
const isFigures = (host: string): boolean => /^(0x[\da-f]*|\d+)$/i.test(host.split(".").at(-1) ?? "");

/** Whether it is a private address or a host name; what a name resolves to is checked when connecting. */
export const isDeviceHost = (host: string): boolean =>
  host.includes(":") || isFigures(host) ? isPrivateAddress(host) : isName(host);
