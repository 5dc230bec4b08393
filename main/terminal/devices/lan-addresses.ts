/** Which addresses this machine has in the shop's own networks: a phone may reach them, and printers are looked for around them. */
import type { NetworkInterfaceInfo } from "node:os";

/** An address of this machine, and what the system calls the network card that it belongs to. */
export interface LanAddress {
  readonly address: string;
  readonly card: string;
}

/** RFC 1918: no router passes it on. An address that a card gave itself (169.254) leads to no phone. */
const isLan = (address: string): boolean => /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(address);

/** Bridges of containers and virtual machines, and tunnels: a phone is in none of them. */
const isVirtual = (card: string): boolean =>
  /^(docker|podman|br-|cni|veth|virbr|vmnet|vboxnet|tun|tap|utun|wg|zt|tailscale)|virtual|vethernet|vpn|hyper-v|wsl/i.test(
    card,
  );

const addressesMax = 4;

/** IPv4 alone: it can be typed. Four at most, none where this machine is in no private network. */
export const lanAddresses = (cards: NodeJS.Dict<readonly NetworkInterfaceInfo[]>): readonly LanAddress[] => {
  const found = Object.entries(cards).flatMap(([card, infos = []]) =>
    infos
      .filter(({ family, internal, address }) => family === "IPv4" && !internal && isLan(address))
      .map(({ address }) => ({ address, card })),
  );
  const real = found.filter(({ card }) => !isVirtual(card));
  // A machine that is itself a virtual one has nothing else.
  return (real.length > 0 ? real : found).slice(0, addressesMax);
};
