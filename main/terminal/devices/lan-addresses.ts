/** This machine's addresses in the shop's networks, where a phone may reach it and printers are looked for. */
import type { NetworkInterfaceInfo } from "node:os";

/** An address of this machine, and the name of its network card. */
export interface LanAddress {
  readonly address: string;
  readonly card: string;
}

/** RFC 1918. A link-local address (169.254) is left out: no phone reaches it. */
const isLan = (address: string): boolean => /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address);

/** Bridges of containers and virtual machines, and tunnels: no phone is in them. */
const isVirtual = (card: string): boolean =>
  /^(docker|podman|br-|cni|veth|virbr|vmnet|vboxnet|tun|tap|utun|wg|zt|tailscale)|virtual|vethernet|vpn|hyper-v|wsl/i.test(
    card,
  );

const addressesMax = 4;

/** Only IPv4, which can be typed; four at most, none outside of private networks. */
export const lanAddresses = (cards: NodeJS.Dict<readonly NetworkInterfaceInfo[]>): readonly LanAddress[] => {
  const found = Object.entries(cards).flatMap(([card, infos = []]) =>
    infos
      .filter(({ family, internal, address }) => family === "IPv4" && !internal && isLan(address))
      .map(({ address }) => ({ address, card })),
  );
  const real = found.filter(({ card }) => !isVirtual(card));
  // A virtual machine has nothing else.
  return (real.length > 0 ? real : found).slice(0, addressesMax);
};
