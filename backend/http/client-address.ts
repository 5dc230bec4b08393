/** Who is calling, behind the proxies that the operator trusts: for throttling alone, never for access. */
import { BlockList, isIP } from "node:net";
import { familyOf } from "../network.ts";

/** From the peer of the connection and its X-Forwarded-For to the caller's address. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/** An IPv4 address as an IPv6 socket shows it, as IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Each proxy adds its peer at the end: read from there, the first address that is no trusted proxy is the caller. What
 * stands before it is the caller's own word.
 * @param proxies addresses and networks that pass `isProxyRange`.
 */
export const createClientAddress = (proxies: readonly string[]): ClientAddress => {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (peer, forwardedFor) => {
    let caller = plain(peer);
    for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
      const next = plain(hop.trim());
      if (isIP(caller) === 0 || !trusted.check(caller, familyOf(caller)) || isIP(next) === 0) break;
      caller = next;
    }
    return caller;
  };
};
