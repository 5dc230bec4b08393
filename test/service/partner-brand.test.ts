/** `partners set --name --logo --color`: what an operator types, what is kept, and what the customers of that bank see. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { writeBrand } from "../../backend/operate/partners.ts";
import { brandOf } from "../../backend/partner/brand.ts";
import { createBrowser } from "./browser.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { useWebSdk } from "./websdk-stage.ts";

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><path d="M0 0L10 10z" fill="#0a5bd3"/></svg>`;

describe("the command", () => {
  let place: Place;
  let folder: string;
  const command = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const file = (name: string, text: string): string => {
    const written = path.join(folder, name);
    writeFileSync(written, text);
    return written;
  };

  beforeAll(async () => {
    place = await createPlace("sqlite");
    folder = mkdtempSync(path.join(tmpdir(), "tillcash-brand-"));
    await command("partners", "add", "my-bank");
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.dispose();
  });

  test("shows what was set, with the colours that are drawn; what is not named stays, and none takes away", async () => {
    const logo = file("logo.svg", `<!-- ${" ".repeat(64 * 1024 - 9 - drawing.length)} -->${drawing}`);
    const kept = async () => (await place.open()).read((tx) => tx.first(brandOf({ partner: "my-bank" })));
    await command("partners", "set", "my-bank", "--slots", "8");
    expect(await kept()).toBeUndefined();
    const [first] = await command("partners", "set", "my-bank", "--name", "My Bank", "--logo", logo, "--color", "#FE0");
    expect(first).toMatchObject({ id: "my-bank", name: "My Bank", logo: "image/svg+xml" });
    const picture = Buffer.from(drawing).toString("base64");
    // What is stored is the picture that was understood, without what else was in the file.
    expect(await kept()).toMatchObject({ logo: picture, logo_type: "image/svg+xml" });
    expect(await command("partners", "set", "my-bank", "--name", "My Bank")).toMatchObject([{ color: first?.color }]);
    expect(await kept()).toMatchObject({ logo: picture, logo_type: "image/svg+xml" });
    expect(first?.color).toMatch(/^#ffee00 \(drawn #[\da-f]{6} on light, #ffee00 on dark\)$/);
    const [second] = await command("partners", "set", "my-bank", "--color", "none");
    expect(second).toMatchObject({ name: "My Bank", logo: "image/svg+xml", color: null });
    const [third] = await command("partners", "set", "my-bank", "--logo", "none", "--answers", "by-status-code");
    expect(third).toMatchObject({ name: "My Bank", logo: null, answers: "by-status-code" });
    expect(await kept()).toMatchObject({ logo: null, logo_type: null });
  });

  test("is in the audit", async () => {
    await command("partners", "set", "my-bank", "--color", "#0a5bd3");
    const lines = await command("audit");
    expect(lines.at(-1)).toMatchObject({ event: "partners set", object: "my-bank", detail: "--color #0a5bd3" });
  });

  test.each([
    ["a colour by name", ["--color", "red"], /--color must be written as #0a5bd3, not "red"/],
    ["a name that turns the line", ["--name", "Bank\u202E"], /--name must hold no line breaks or invisible characters/],
    ["a file that is not there", ["--logo", "/nowhere/logo.png"], /--logo \/nowhere\/logo.png cannot be read/],
    ["a folder", ["--logo", "/"], /must be a file of at most 64 KiB/],
    ["a file of a byte too many", ["--logo", "large.svg"], /large\.svg must be a file of at most 64 KiB/],
    ["a bank that is not there", ["--name", "Bank"], /there is no partner other-bank/],
  ])("refuses %s", (_, flags, why) => {
    const id = String(why).includes("other-bank") ? "other-bank" : "my-bank";
    const words = flags.map((flag) => (flag === "large.svg" ? file(flag, " ".repeat(64 * 1024 + 1)) : flag));
    return expect(command("partners", "set", id, ...words)).rejects.toThrow(why);
  });

  test("refuses a hostile logo whatever it is called, and keeps the one before", async () => {
    const before = file("good.svg", drawing);
    await command("partners", "set", "my-bank", "--logo", before);
    const hostile = file("logo.png", drawing.replace("<path", "<script>alert(1)</script><path"));
    await expect(command("partners", "set", "my-bank", "--logo", hostile)).rejects.toThrow(
      /logo\.png holds <script>, which a logo may not/,
    );
    expect(await command("partners", "set", "my-bank", "--name", "none")).toMatchObject([{ logo: "image/svg+xml" }]);
  });
});

describe.each(stores)("the customer's page on %s", (dialect) => {
  const sdk = useWebSdk(dialect);

  test("has the bank's name, logo and colour, each a file of our own that runs nothing", async () => {
    const plain = await createBrowser().open(await sdk.freshLink());
    expect(plain.html).not.toContain("/brand/");
    const logo64 = Buffer.from(drawing).toString("base64");
    const look = { name: "Bank <One>", color: "#ffee00", logo: logo64, logo_type: "image/svg+xml" } as const;
    await sdk.store().write((tx) => writeBrand(tx, "demo-bank", look, 1));

    const page = await createBrowser().open(await sdk.freshLink());
    expect(page.html).toContain("<b>Bank &lt;One&gt;</b>");
    const [, sheet = ""] =
      /<link rel="stylesheet" href="(\/websdk-assets\/brand\/[\w-]{43}\.css)">/.exec(page.html) ?? [];
    const [, logo = ""] = /<img class="logo" src="(\/websdk-assets\/brand\/[\w-]{43})" alt="">/.exec(page.html) ?? [];

    const colors = await fetch(sdk.url() + sheet);
    expect(colors.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(await colors.text()).toMatch(/^:root\{--accent:#[\da-f]{6};/);
    const picture = await fetch(sdk.url() + logo);
    expect(await picture.text()).toBe(drawing);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=31536000, immutable",
    });
  });

  test("another look has files of another name; the old ones are gone", async () => {
    const sheetOf = async () =>
      /brand\/([\w-]{43})\.css/.exec((await createBrowser().open(await sdk.freshLink())).html)?.[1];
    await sdk.store().write((tx) => writeBrand(tx, "demo-bank", { color: "#123456" }, 2));
    const before = await sheetOf();
    await sdk.store().write((tx) => writeBrand(tx, "demo-bank", { color: "#654321" }, 3));
    expect(await sheetOf()).not.toBe(before);
    expect((await fetch(`${sdk.url()}/websdk-assets/brand/${before}.css`)).status).toBe(404);
    // Files are kept for a year under their names: another picture must have another one.
    const names = [];
    for (const picture of [drawing, drawing.replace("M0 0", "M1 1")]) {
      const look = { logo: Buffer.from(picture).toString("base64"), logo_type: "image/svg+xml" } as const;
      await sdk.store().write((tx) => writeBrand(tx, "demo-bank", look, 4));
      names.push(await sheetOf());
    }
    expect(new Set(names).size).toBe(2);
  });

  test.each(["/websdk-assets/brand/demo-bank", "/websdk-assets/brand/..%2f..%2fetc", "/websdk-assets/brand/.css"])(
    "%s is not to be had",
    async (target) => {
      const answer = await fetch(sdk.url() + target);
      // It may be there tomorrow.
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "no-store"]);
    },
  );
});
