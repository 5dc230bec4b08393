/** What an operator sets for banks and shops, on both stores: addresses, keys, shops that may be used, limits, support. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseCommandLine, shapes } from "../../backend/operate/arguments.ts";
import { watchCommands } from "../../backend/operate/audited-store.ts";
import { commands } from "../../backend/operate/commands.ts";
import { manage } from "../../backend/operate/manage.ts";
import { partnerById } from "../../backend/partner/partners.ts";
import { adhoc } from "../../backend/store/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { quiet } from "./world.ts";

test("each command says what it takes", () => {
  // `migrate` and `restore` are for a database that cannot be opened yet.
  expect(Object.keys(shapes).sort()).toEqual([...Object.keys(commands), "migrate", "restore"].sort());
});

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  const command = async (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const stored = async (id: string) => (await place.open()).read((tx) => tx.first(partnerById({ id })));
  beforeAll(async () => {
    place = await createPlace(dialect);
    await command("merchants", "add", "corner", "--name", "Corner Shop");
    await command("partners", "add", "bank", "--url", "https://bank.example/cash//");
    await command("partners", "add", "silent");
  });
  afterAll(() => place.dispose());
  /** Of what is decided before a store is asked, and of shops' columns, one store shows enough. */
  const onSqlite = <Row>(rows: readonly Row[]): readonly Row[] => (dialect === "sqlite" ? rows : []);

  test("what was refused is not in the audit", async () => {
    await command("credentials", "add", "terminal", "corner", "till-1");
    const audited = async () => (await command("audit")).map(({ event, object }) => `${event} ${object}`);
    const before = await audited();
    const refused = [
      ["merchants", "add", "corner", "--name", "Again"],
      ["merchants", "disable", "nowhere"],
      ["partners", "add", "bank"],
      ["partners", "set", "nobody", "--answers", "by-status-code"],
      ["partners", "disallow", "bank", "corner"],
      ["credentials", "add", "terminal", "corner", "till-1"],
      ["credentials", "rotate", "terminal", "corner", "till-2"],
      ["credentials", "revoke", "terminal", "corner", "till-2"],
      ["users", "unblock", "bank", "ann"],
    ];
    for (const words of refused) await expect(command(...words), words.join(" ")).rejects.toThrow();
    expect(await audited()).toEqual(before);
  });

  test("what is only read is not in the audit", async () => {
    await command("credentials", "add", "chain", "readers", "--shops", "corner");
    const before = await command("audit");
    for (const words of [
      "merchants list",
      "partners list",
      "credentials list",
      "credentials shops readers",
      "terminals list",
    ])
      await command(...words.split(" "));
    expect(await command("audit")).toEqual(before);
  });

  test("the running service logs each command once, also one that was given while it stood still", async () => {
    const store = await place.open();
    const [clock, logged] = [new VirtualClock(), [] as unknown[]];
    const info = (fields: object, message: string) => void logged.push([message, fields]);
    const watching = async (owns: boolean) => {
      const log = { ...quiet, info };
      const watch = watchCommands({ store, clock, owns: () => owns, log });
      const idle = () => new Promise<void>((resolve) => void setTimeout(resolve, 50));
      await clock.advance(5_000, idle);
      await watch.stop();
      return logged.splice(0);
    };
    await watching(true);
    await command("merchants", "set", "corner", "--support-phone", "+49 30 123");
    expect(await watching(false)).toEqual([]);
    const detail = "--support-phone +49 30 123";
    expect(await watching(true)).toMatchObject([["audit", { event: "merchants set", object: "corner", detail }]]);
    expect(await watching(true)).toEqual([]);
  });

  test("a shop's limits and whom a cashier asks; what is not named stays; none takes it away", async () => {
    const set = (...flags: string[]) => command("merchants", "set", "corner", ...flags);
    expect(await set("--shop-day", "5000.00", "--terminal-hour", "1000.00", "--support-phone", "+49 30 123")).toEqual([
      expect.objectContaining({ id: "corner", shop_day: "5000.00", terminal_hour: "1000.00", support_text: null }),
    ]);
    await set("--support-text", "Head office, 8 to 18 h", "--terminal-hour", "none", "--largest", "300.00");
    const corner = (await command("merchants", "list")).filter(({ id }) => id === "corner");
    expect(corner).toEqual([
      {
        id: "corner",
        name: "Corner Shop",
        currency: "EUR",
        smallest: "10.00",
        largest: "300.00",
        step: "10.00",
        shop_day: "5000.00",
        terminal_hour: null,
        support_text: "Head office, 8 to 18 h",
        support_phone: "+49 30 123",
        opening: null,
        time_zone: null,
        status: "in use",
      },
    ]);
  });

  const flags: [string, string][] = [
    ["name", "Another"],
    ["smallest", "20.00"],
    ["largest", "400.00"],
    ["step", "20.00"],
    ["shop-day", "4000.00"],
    ["shop-day", "none"],
    ["terminal-hour", "700.00"],
    ["terminal-hour", "none"],
    ["support-text", "The office"],
    ["support-text", "none"],
    ["support-phone", "+43 1 456"],
    ["support-phone", "none"],
    ["opening", "mon 09:00-10:00"],
    ["opening", "none"],
    ["time-zone", "Europe/Paris"],
  ];
  test.each(onSqlite(flags))("a shop's --%s %s changes that alone", async (flag, value) => {
    const id = `shop-${flag}-${value === "none"}`;
    await command("merchants", "add", id, "--name", "Whole");
    const every = ["--shop-day", "5000.00", "--terminal-hour", "1000.00", "--support-text", "Head office"];
    const hours = ["--opening", "mon-fri 08:00-18:00", "--time-zone", "Europe/Vienna"];
    const [before] = await command("merchants", "set", id, ...every, "--support-phone", "+49 30 123", ...hours);
    await command("merchants", "set", id, `--${flag}`, value);
    const listed = (await command("merchants", "list")).find((shop) => shop.id === id);
    expect(listed).toEqual({ ...before, [flag.replace("-", "_")]: value === "none" ? null : value });
  });

  test("a bank's ways: how it answers, where events and approvals go, a user's limit", async () => {
    const set = (...flags: string[]) => command("partners", "set", "bank", ...flags);
    await set("--answers", "by-status-code", "--events-url", "https://bank.example/events/");
    await set("--sca-url", "https://bank.example/app?id={transaction_id}", "--user-day", "400.00", "--currency", "EUR");
    expect(await stored("bank")).toMatchObject({
      answers: "by-status-code",
      events_url: "https://bank.example/events/",
      sca_url: "https://bank.example/app?id={transaction_id}",
      user_day_max: 40_000,
      user_day_currency: "EUR",
    });
    const shown = { answers: "by-status-code", user_day: "400.00 EUR", slots: 8 };
    expect(await set("--slots", "8")).toMatchObject([shown]);
    expect((await command("partners", "list")).find(({ id }) => id === "bank")).toMatchObject(shown);
    expect((await command("partners", "list")).find(({ id }) => id === "silent")).toMatchObject({
      ...{ answers: "by-status-word", user_day: null, slots: null, url: null, problem: null },
    });
    expect(await set("--user-day", "40000", "--currency", "JPY")).toMatchObject([{ user_day: "40000 JPY" }]);
    expect(await stored("bank")).toMatchObject({ user_day_max: 40_000, user_day_currency: "JPY" });
    await expect(set("--user-day", "400.00", "--currency", "JPY")).rejects.toThrow(/is no amount in JPY/);
    await expect(set("--user-day", "400.00")).rejects.toThrow(/^--user-day needs --currency/);
    await expect(set("--currency", "USD", "--name", "A bank")).rejects.toThrow(/^--currency goes with --user-day/);
    await set("--events-url", "none", "--user-day", "none", "--answers", "by-status-word");
    expect(await stored("bank")).toMatchObject({ events_url: null, user_day_max: null, user_day_currency: null });
    await set("--sca-url", "none", "--slots", "none");
    expect(await stored("bank")).toMatchObject({ sca_url: null, slots: null });
  });

  test("a rotation leaves the old key valid beside the new one for as long as it says", async () => {
    const before = await stored("bank");
    const [rotated] = await command("partners", "rotate", "bank", "--hours", "2");
    const after = await stored("bank");
    expect(after).toMatchObject({ secret: rotated?.secret, previous_secret: before?.secret });
    expect(after?.secret).not.toBe(before?.secret);
    const leftMs = (after?.previous_secret_until ?? 0) - systemClock.now();
    expect(leftMs).toBeGreaterThan(7_000_000);
    expect(leftMs).toBeLessThanOrEqual(7_200_000);
    const [longest] = await command("partners", "rotate", "bank", "--hours", "720", "--force");
    expect(await stored("bank")).toMatchObject({ secret: longest?.secret, previous_secret: rotated?.secret });
  });

  test("another address keeps the key; a bank without one gets its first", async () => {
    const before = await stored("bank");
    expect(before?.url).toBe("https://bank.example/cash");
    expect(await command("partners", "set-url", "bank", "https://new.bank.example/")).toEqual([
      { id: "bank", url: "https://new.bank.example" },
    ]);
    expect(await stored("bank")).toMatchObject({ url: "https://new.bank.example", secret: before?.secret });
    const [first] = await command("partners", "set-url", "silent", "http://127.0.0.1:9000");
    expect(first).toMatchObject({ id: "silent", secret: expect.stringMatching(/^whsec_.{44}$/) });
  });

  test("a bank may use no shop until it is allowed one", async () => {
    const shops = async () => (await command("partners", "list")).find(({ id }) => id === "bank")?.shops;
    expect(await shops()).toBeNull();
    expect(await command("partners", "allow", "bank", "corner")).toEqual([{ id: "bank", shops: "corner" }]);
    expect((await command("partners", "list")).find(({ id }) => id === "silent")?.shops).toBeNull();
    await command("partners", "allow", "bank", "--all");
    expect(await shops()).toBe("* corner");
    await command("partners", "disallow", "bank", "--all");
    expect(await shops()).toBe("corner");
    await expect(command("partners", "allow", "bank", "no-shop")).rejects.toThrow(/^there is no merchant no-shop/);
    await expect(command("partners", "allow", "no-bank", "corner")).rejects.toThrow(/^there is no partner no-bank/);
    await expect(command("partners", "disallow", "bank", "--all")).rejects.toThrow(/was not allowed --all/);
    for (const words of [["bank", "corner", "--all"], ["bank"], ["bank", "corner", "kiosk"]])
      await expect(command("partners", "allow", ...words)).rejects.toThrow(
        /PARTNER SHOP, or partners allow|word too many/,
      );
  });

  test("how many status events a bank has not taken, and what it answered", async () => {
    const waiting = async () => (await command("partners", "list")).find(({ id }) => id === "bank")?.events_waiting;
    expect(await waiting()).toBeNull();
    const event = { transaction_id: "T", partner_id: "bank", body: "{}", attempts: 1, due_at: 1, claimed_by: "" };
    await (await place.open()).write(async (tx) => {
      for (const [id, last_error] of [
        ["event_1", null],
        ["event_2", "http_404"],
      ] as const)
        await tx.run(
          adhoc((db) =>
            db.insertInto("status_events").values({ ...event, id, last_error, created_at: 1, partner_reference: null }),
          ),
        );
    });
    expect(await waiting()).toBe("2, an answer: http_404");
    expect((await command("partners", "list")).find(({ id }) => id === "silent")?.events_waiting).toBeNull();
  });

  test("each change has its entry: the audit finds every setting as it was recorded", async () => {
    const [bank, address] = ["recorded", "http://127.0.0.1:9000"];
    for (const words of [
      ["merchants", "add", "kiosk", "--name", "Kiosk"],
      ["merchants", "set", "kiosk", "--largest", "100.00"],
      ["merchants", "disable", "kiosk"],
      ["merchants", "enable", "kiosk"],
      ["partners", "add", bank],
      ["partners", "set-url", bank, address],
      ["partners", "set", bank, "--slots", "8"],
      ["partners", "set", bank, "--name", "Bank"],
      ["partners", "rotate", bank],
      ["partners", "allow", bank, "kiosk"],
      ["partners", "disallow", bank, "kiosk"],
      ["credentials", "add", "chain", "north", "--shops", "kiosk"],
      ["credentials", "shops", "north", "--remove", "kiosk"],
    ]) {
      await command(...words);
      const [found] = await command("audit", "verify");
      expect([words, found]).toEqual([words, expect.objectContaining({ settings: "whole" })]);
      expect([words, found?.settings_not_recorded_yet]).toEqual([words, undefined]);
    }
  });

  const unsafe = [
    "http://bank.example",
    "http://169.254.169.254/latest/meta-data",
    "https://169.254.169.254",
    "https://2852039166/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[fe80::1]/",
    "https://0.0.0.0/",
    "https://metadata.google.internal/",
    "https://user:secret@bank.example",
    "https://bank.example/?key=1",
    "http://localhost.bank.example",
    "ftp://bank.example",
    "bank.example",
  ];
  test.each(onSqlite(unsafe))("%s is no address of a bank", async (url) => {
    for (const [field, ...words] of [
      ["url", "partners", "add", "rogue", "--url", url],
      ["url", "partners", "set-url", "bank", url],
      ["events-url", "partners", "set", "bank", "--events-url", url],
    ])
      await expect(command(...words)).rejects.toMatchObject({
        message: expect.stringMatching(/must (be an address|be https|not point|not hold)/),
        fields: [field],
      });
    expect(await stored("rogue")).toBeUndefined();
  });

  test("the way to the approval is https or an app's own scheme, and nothing that a browser would run or read itself", async () => {
    const template = "mybank://approve?cash={transaction_id}";
    const [set] = (await command("partners", "set", "bank", "--sca-url", template)) as { sca_url: string }[];
    expect(set?.sca_url).toBe(template);
    const refused = command("partners", "set", "bank", "--sca-url", "data:text/html,{transaction_id}");
    await expect(refused).rejects.toThrow(/^--sca-url must be an https address or a link of your app/);
    await command("partners", "set", "bank", "--sca-url", "none");
  });

  const wrong: [string, string[], RegExp][] = [
    ["a name of two lines", ["merchants", "set", "corner", "--name", "Corner\nShop"], /no line breaks or invisible/],
    [
      "a name that turns around",
      ["merchants", "add", "x", "--name", "Corner \u202epohS"],
      /no line breaks or invisible/,
    ],
    ["nothing to change", ["merchants", "set", "corner"], /^nothing to change; name it as: merchants set ID /],
    [
      "a flag of another command",
      ["merchants", "set", "corner", "--scope", "users"],
      /^"merchants set" does not take --scope; it takes --name, --smallest, /,
    ],
    [
      "a limit that would be lost",
      ["merchants", "add", "new", "--name", "New", "--shop-day", "500.00"],
      /^"merchants add" does not take --shop-day; it takes --name, /,
    ],
    [
      "a command without flags",
      ["merchants", "disable", "corner", "--all"],
      /^"merchants disable" does not take --all; it takes no flags$/,
    ],
    [
      "a name without its quotation marks",
      ["merchants", "set", "corner", "--name", "Corner", "Shop"],
      /^"Shop" is one word too many for "merchants set"; put a text with spaces into quotation marks$/,
    ],
    ["a second shop", ["merchants", "disable", "corner", "other"], /^"other" is one word too many for /],
    ["a user without a bank", ["users", "block"], /^name it as: users block\|unblock\|erase PARTNER USER$/],
    ["an unknown shop", ["merchants", "set", "nowhere", "--shop-day", "10.00"], /^there is no merchant nowhere/],
    ["a smallest above the largest", ["merchants", "set", "corner", "--smallest", "900.00"], /smallest <= largest/],
    [
      "a step past the largest",
      ["merchants", "set", "corner", "--step", "1000.00"],
      /^no amount from smallest to largest is a multiple of the step$/,
    ],
    [
      "amounts that the usual step skips",
      ["merchants", "add", "small", "--name", "Small", "--smallest", "11.00", "--largest", "19.00"],
      /^no amount from smallest to largest is a multiple of the step$/,
    ],
    [
      "an answer that is none",
      ["partners", "set", "bank", "--answers", "maybe"],
      /^--answers must be by-status-word or/,
    ],
    [
      "a script for the customer",
      ["partners", "set", "bank", "--sca-url", "javascript:alert('{transaction_id}')"],
      /^--sca-url must/,
    ],
    [
      "a link without the withdrawal",
      ["partners", "set", "bank", "--sca-url", "https://bank.example"],
      /^--sca-url must/,
    ],
    ...["9000", "721", "1.5", "-1", "a-day"].map((hours): [string, string[], RegExp] => [
      `a rotation of ${hours} hours`,
      ["partners", "rotate", "bank", `--hours=${hours}`],
      /^--hours must be a whole number from 0 to 720/,
    ]),
    [
      "opening hours by no clock",
      ["merchants", "set", "corner", "--opening", "mon 09:00-10:00"],
      /^by which clocks\? add --time-zone/,
    ],
    ...["0", "1000", "8.5"].map((slots): [string, string[], RegExp] => [
      `${slots} orders at a time`,
      ["partners", "set", "bank", "--slots", slots],
      /^--slots must be a number from 1 to 999/,
    ]),
    ["a step of nothing", ["merchants", "set", "corner", "--step", "0.00"], /0 < step$/],
    ["a smallest of nothing", ["merchants", "set", "corner", "--smallest", "0.00"], /^0 < smallest/],
    ["an unknown bank", ["partners", "set", "nobody", "--answers", "by-status-code"], /^there is no partner nobody/],
    ["a shop that is there", ["merchants", "add", "corner", "--name", "Again"], /^merchant corner is there already$/],
    ["a bank that is there", ["partners", "add", "bank"], /^partner bank is there already$/],
    ["an unknown shop to close", ["merchants", "disable", "nowhere"], /^there is no merchant nowhere/],
    [
      "an unknown bank's address",
      ["partners", "set-url", "nobody", "https://b.example"],
      /^there is no partner nobody/,
    ],
    ["nothing to change at a bank", ["partners", "set", "bank"], /^nothing to change; name it as: partners set ID /],
    ["a list of an unknown shop's terminals", ["terminals", "list", "--shop", "nowhere"], /^there is no shop nowhere$/],
    ["a new key of an unknown bank", ["partners", "rotate", "nobody"], /^there is no partner nobody/],
    ["a ping to nobody", ["partners", "test"], /^the ID is missing; name it as: partners test ID$/],
    [
      "an address of no bank",
      ["partners", "set-url"],
      /^the ID and the URL are missing; name it as: partners set-url ID/,
    ],
    ["a new key of no bank", ["partners", "rotate"], /^the ID is missing; name it as: partners rotate ID /],
    [
      "a key for no bank",
      ["partners", "set-key"],
      /^the ID is missing; name it as: partners set-key ID, with the key in/,
    ],
    ["no shop to close", ["merchants", "disable"], /^the ID is missing; name it as: merchants disable ID$/],
    ["no shop to open", ["merchants", "enable"], /^the ID is missing; name it as: merchants enable ID$/],
    [
      "no shop to allow",
      ["partners", "allow", "bank"],
      /^name it as: partners allow PARTNER SHOP, or partners allow PAR/,
    ],
    ["no chain", ["credentials", "shops"], /^the CHAIN is missing; name it as: credentials shops CHAIN /],
    ["a flag that does not exist", ["--prot", "1"], /--prot/],
    [
      "a merchant without a name",
      ["merchants", "add", "x"],
      /^--name is missing; name it as: merchants add ID --name /,
    ],
    ["a merchant without all", ["merchants", "add"], /^the ID and --name are missing; name it as: merchants add ID /],
    ["a merchant with a wrong id", ["merchants", "add", "a b", "--name", "x"], /^the ID must be 1 to 64 of letters, /],
    [
      "a merchant with an empty name",
      ["merchants", "add", "x", "--name", ""],
      /^--name must be 1 to 100 characters long$/,
    ],
    [
      "a merchant with words for a currency",
      ["merchants", "add", "x", "--name", "x", "--currency", "Euro"],
      /^--currency must be one of ISO 4217, as EUR$/,
    ],
    [
      "an amount in words",
      ["merchants", "add", "x", "--name", "x", "--largest", "ten"],
      /^ten is no amount in EUR, as 10.00 is$/,
    ],
    ["a partner without its id", ["partners", "add"], /^the ID is missing; name it as: partners add ID \[--url URL\]$/],
    [
      "a device with a wrong id",
      ["credentials", "add", "terminal", "corner", "till 1"],
      /^the DEVICE must be 1 to 64 of letters, digits, /,
    ],
    [
      "a user with an endless name",
      ["users", "block", "x", "y".repeat(65)],
      /^the USER must be 1 to 64 characters long$/,
    ],
    ["a step of nothing", ["merchants", "add", "x", "--name", "x", "--step", "0.00"], /step/],
    [
      "an amount of another currency",
      ["merchants", "add", "x", "--name", "x", "--currency", "JPY", "--step", "1.00"],
      /^1.00 is no amount in JPY, as 1000 is$/,
    ],
    ["a terminal of nobody", ["credentials", "add", "terminal", "nobody", "till"], /there is no merchant nobody/],
    [
      "a scope of the other kind",
      ["credentials", "add", "client", "bank", "x", "--scope", "transactions"],
      /^a client has only the scopes checkin users withdrawals reconciliation$/,
    ],
    [
      "a credential without its device",
      ["credentials", "add", "terminal", "corner"],
      /^the DEVICE of corner is missing; name it as: terminal MERCHANT DEVICE/,
    ],
    [
      "a partner at ftp",
      ["partners", "add", "bank", "--url", "ftp://bank.example"],
      /^--url must be an address that begins with https:\/\/$/,
    ],
    ["half a name", ["credentials", "rotate", "terminal"], /MERCHANT DEVICE/],
    ["a credential that is not there", ["credentials", "revoke", "terminal", "x", "y"], /no credential in use/],
    ["a user who is not blocked", ["users", "unblock", "x", "y"], /not blocked/],
    [
      "the keys of no service key",
      ["service-key", "status"],
      /^set SERVICE_KEY to the new key, and SERVICE_KEY_BEFORE/,
    ],
  ];
  // A refusal that says nothing would pass for one that does in `toThrow`.
  test.each(onSqlite(wrong))("refused with a sentence: %s", async (_, args, sentence) => {
    await expect(command(...args)).rejects.toMatchObject({ message: expect.stringMatching(sentence) });
  });

  const amounts = ["smallest", "largest", "step"];
  const marked: [string[], string[]][] = [
    [["merchants", "set", "corner", "--smallest", "900.00"], amounts],
    [["merchants", "set", "corner", "--step", "1000.00"], amounts],
    [["merchants", "set", "corner", "--largest", "1.005"], ["largest"]],
    [["merchants", "set", "corner", "--opening", "mon 09:00-10:00"], ["time-zone"]],
    [["partners", "set", "bank", "--user-day", "1.005", "--currency", "EUR"], ["user-day"]],
    [["partners", "set", "bank", "--color", "red"], ["color"]],
    [["partners", "set", "bank", "--logo", "/"], ["logo"]],
    [["partners", "set-key", "bank"], ["key"]],
    [["credentials", "add", "client", "bank", "x", "--enrol"], ["enrol"]],
    [["credentials", "add", "chain", "x", "--days", "3"], ["days"]],
  ];
  test.each(onSqlite(marked))("%j marks its wrong words: %j", async (args, fields) => {
    await expect(command(...args)).rejects.toMatchObject({ fields });
  });

  test("one amount alone may be what a shop hands out, and a yen has no cents", async () => {
    const only = ["--smallest", "50.00", "--largest", "50.00", "--step", "50.00"];
    expect(await command("merchants", "add", "one", "--name", "One", ...only)).toEqual([
      { id: "one", name: "One", currency: "EUR", smallest: "50.00", largest: "50.00", step: "50.00" },
    ]);
    expect(await command("merchants", "add", "yen", "--name", "Yen", "--currency", "JPY")).toMatchObject([
      { currency: "JPY", smallest: "1000", largest: "50000", step: "1000" },
    ]);
  });
});
