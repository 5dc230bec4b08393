/** Addresses and networks: which proxies may be named, and where a call must never go. */
import { BlockList, isIP } from "node:net";

/** An address, or a network as `10.0.0.0/8`. */
export const isProxyRange = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  return isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most));
};

/** `ipv4` or `ipv6`, as `BlockList` asks for it. */
export const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** No bank lives there: a cloud's metadata (link-local), "this host", everybody, and IPv4 hidden in IPv6. */
const unsafeNetworks = [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["100.100.100.200", 32],
  ["::", 128],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 96],
  ["2002::", 16],
  ["fd00:ec2::254", 128],
] as const;
const unsafe = new BlockList();
for (const [address, bits] of unsafeNetworks) unsafe.addSubnet(address, bits, familyOf(address));

const metadataNames = ["metadata", "metadata.google.internal", "instance-data"];

/** Whether calls to `host` (a name or an address, IPv6 with or without brackets) are refused: metadata, link-local, multicast. */
export const isUnsafeHost = (host: string): boolean => {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  return isIP(name) === 0 ? metadataNames.includes(name) : unsafe.check(name, familyOf(name));
};
