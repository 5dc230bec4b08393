/** Which of this machine's addresses a phone is sent to. */
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { lanAddresses } from "../../../main/terminal/devices/find-printers.ts";

const info = (address: string, family: "IPv4" | "IPv6" = "IPv4", internal = false) => ({
  address,
  family,
  internal,
  netmask: "",
  mac: "",
  cidr: null,
  ...(family === "IPv6" ? { scopeid: 0 } : {}),
});
type Cards = Parameters<typeof lanAddresses>[0];

describe("the addresses that a phone may reach", () => {
  const cases: [string, Record<string, ReturnType<typeof info>[]>, string[]][] = [
    [
      "the shop's network",
      { lo: [info("127.0.0.1", "IPv4", true), info("10.255.0.1", "IPv4", true)], wlan0: [info("192.168.1.20")] },
      ["192.168.1.20"],
    ],
    ["each private range", { a: [info("10.0.0.7")], b: [info("172.31.0.2")] }, ["10.0.0.7", "172.31.0.2"]],
    [
      "no address of the internet, of a card alone, of a carrier, or that only looks private",
      { a: [info("203.0.113.9"), info("169.254.3.4"), info("100.64.0.1"), info("172.32.0.1"), info("110.0.0.1")] },
      [],
    ],
    ["none that cannot be typed", { a: [info("fd00::2", "IPv6")] }, []],
    [
      "no network of virtual machines and tunnels beside the shop's",
      {
        docker0: [info("172.17.0.1")],
        "vEthernet (WSL)": [info("172.20.0.1")],
        tailscale0: [info("10.9.0.1")],
        "Wi-Fi": [info("192.168.1.20")],
      },
      ["192.168.1.20"],
    ],
    ["that of a machine which is a virtual one", { "vEthernet (LAN)": [info("172.20.0.1")] }, ["172.20.0.1"]],
    [
      "four at most",
      { a: ["1", "2", "3", "4", "5"].map((end) => info(`10.0.0.${end}`)) },
      ["1", "2", "3", "4"].map((end) => `10.0.0.${end}`),
    ],
  ];
  test.each(cases)("%s", (_, cards, wanted) => {
    expect(lanAddresses(cards as Cards).map(({ address }) => address)).toEqual(wanted);
  });

  test("the machine's own answer is one that it reads", () => {
    expect(() => lanAddresses(networkInterfaces())).not.toThrow();
  });
});
