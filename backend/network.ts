/** IP addresses and networks: valid proxy settings, and targets that calls must never reach. */
import { BlockList, isIP } from "node:net";

/** Whether a text is an IP address or a network such as `10.0.0.0/8`. */
export const isProxyRange = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  return isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most));
};

/** The address family as `BlockList` names it. */
export const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Networks without banks: cloud metadata (link-local and some others), "this host", multicast, and IPv4 embedded in IPv6. */
const unsafeNetworks = [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
  ["::", 128],
  ["::ffff:0:0:0", 96],
  ["fe80::", 10],
  ["ff00::", 8],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
] as const;
const unsafe = new BlockList();
// Not by `familyOf`: the first IPv6 address that `isIP` sees costs 7 ms of the start, for its regular expression.
for (const [address, bits] of unsafeNetworks) unsafe.addSubnet(address, bits, address.includes(":") ? "ipv6" : "ipv4");

/** IPv4-compatible IPv6 such as `::169.254.169.254`; includes `::1`, which is allowed. */
const ipv4Compatible = new BlockList();
ipv4Compatible.addSubnet("::", 96, "ipv6");
const loopback = "::1";

const metadataNames = [
  ...["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"],
  ...["metadata.azure.internal", "metadata.tencentyun.com"],
];

/** Whether calls to `host` (a name or an address, IPv6 with or without brackets) are refused: metadata, link-local, multicast. */
export const isUnsafeHost = (host: string): boolean => {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
  if (isIP(name) === 0) return metadataNames.includes(name);
  const family = familyOf(name);
  return unsafe.check(name, family) || (family === "ipv6" && name !== loopback && ipv4Compatible.check(name, family));
};
