/** The lists of withdrawals: the open ones, and all by shop, status and day. */
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { type FormEvent, useCallback, useState } from "react";
import { readJson, type Stores, type Withdrawal, type Withdrawals } from "./api.ts";
import { dayAfter, startOf } from "./days.ts";
import { useLoaded } from "./session.ts";
import { type Column, money, number, statuses, Table, Tag, View, When } from "./ui.tsx";

interface Stories {
  readonly onStory: (id: string) => void;
}

const sinceOf = (one: Withdrawal): string => one.settled_at ?? one.confirmed_at ?? one.created_at;

const columnsFor = (onStory: Stories["onStory"], time: Column<Withdrawal>): readonly Column<Withdrawal>[] => [
  time,
  ["Shop", (one) => one.store_name],
  ["Bank's reference", (one) => one.partner_reference ?? "–"],
  ["Amount", (one) => money(one.amount, one.currency), "figures"],
  ["Status", (one) => <Tag tone={statuses[one.status].tone}>{statuses[one.status].label}</Tag>],
  [
    "Number",
    (one) => (
      <button type="button" className="link number" onClick={() => onStory(one.transaction_id)}>
        {one.transaction_id.replaceAll(/(.{4})(?=.)/g, "$1 ")}
      </button>
    ),
  ],
];
const keyOf = (one: Withdrawal): string => one.transaction_id;

/** In the order in which a withdrawal goes through them: what goes on while they are read is found twice rather than never. */
const openStatuses = ["requested", "ready", "awaiting_sca", "settling", "settled"] as const;
/** Bounds what a day without terminals may load. */
const pagesMax = 25;

/** The newest page of each status, and of what is paid all: the oldest waits for somebody. */
const readOpen = async (token: string) => {
  const found = new Map<string, Withdrawal>();
  let isCut = false;
  for (const status of openStatuses) {
    const most = status === "settled" ? pagesMax : 1;
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < most; pages += 1) {
      const page: Withdrawals = await readJson<Withdrawals>(token, "withdrawals", { status, cursor });
      for (const one of page.withdrawals) found.set(one.transaction_id, one);
      cursor = page.next;
    }
    isCut ||= cursor !== null;
  }
  const urgency = ({ status }: Withdrawal) => (openStatuses as readonly string[]).indexOf(status);
  const rows = [...found.values()].sort((a, b) => urgency(b) - urgency(a) || (sinceOf(a) < sinceOf(b) ? -1 : 1));
  return { rows, isCut };
};

/** All open withdrawals by status, the most urgent first, then the oldest. */
export const OpenTable = ({ onStory }: Stories) => {
  const loaded = useLoaded(readOpen);
  const paid = loaded.data?.rows.filter(({ status }) => status === "settled").length ?? 0;
  return (
    <View
      loaded={loaded}
      title="Open now"
      tools={
        loaded.data !== null &&
        loaded.data.rows.length > 0 && (
          <p className="beside">
            {paid > 0 && (
              <b>
                {number(paid)} paid, and no terminal has said what became of the cash: have these started and connected.{" "}
              </b>
            )}
            {loaded.data.isCut
              ? "Of some statuses the newest alone are shown; the others are under Withdrawals."
              : `${number(loaded.data.rows.length)} open in all.`}
          </p>
        )
      }
      empty={({ rows }) => (rows.length === 0 ? "Nothing is open. Everything that was asked for has ended." : null)}
    >
      {({ rows }) => (
        <Table
          caption="Open withdrawals"
          columns={columnsFor(onStory, ["Since", (one) => <When time={sinceOf(one)} />])}
          rows={rows}
          keyOf={keyOf}
        />
      )}
    </View>
  );
};

/** Filters of the list; empty means any. */
export interface Filters {
  readonly store: string;
  readonly status: string;
  readonly from: string;
  readonly to: string;
}
/** No filter. */
export const noFilters: Filters = { store: "", status: "", from: "", to: "" };

const choices = [
  { value: "", label: "Any status" },
  ...Object.entries(statuses).map(([value, { label }]) => ({ value, label })),
];

const loadShops = async (token: string): Promise<Stores["stores"]> => {
  const found: Stores["stores"] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page: Stores = await readJson<Stores>(token, "stores", { limit: "200", after });
    found.push(...page.stores);
    after = page.next;
  }
  return found;
};

const ShopField = ({ first, shops }: { readonly first: string; readonly shops: Stores["stores"] }) => (
  <>
    <TextInput name="store" label="Shop" list="shops" defaultValue={first} maxLength={200} autoComplete="off" />
    <datalist id="shops">
      {shops.map(({ store, name }) => (
        <option key={store} value={`${name} (${store})`} />
      ))}
    </datalist>
  </>
);
/** The shop's id in a text: chosen as `Name (id)`, or typed as an id or a name. */
const shopIn = (text: string, shops: Stores["stores"]): string => {
  const typed = /\(([^()]*)\)$/.exec(text)?.[1] ?? text;
  const named = shops.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  return named.length === 1 && named[0] && !shops.some(({ store }) => store === typed) ? named[0].store : typed;
};

/** The list of all withdrawals, newest first, in pages. */
export const WithdrawalsTable = ({ first, onStory }: Stories & { readonly first: Filters }) => {
  const [{ filters, cursors }, setAsked] = useState<{ filters: Filters; cursors: readonly string[] }>({
    filters: first,
    cursors: [],
  });
  const load = useCallback(
    (token: string) =>
      readJson<Withdrawals>(token, "withdrawals", {
        store: filters.store,
        status: filters.status,
        from: filters.from && startOf(filters.from),
        to: filters.to && startOf(dayAfter(filters.to)),
        cursor: cursors.at(-1),
      }),
    [filters, cursors],
  );
  const loaded = useLoaded(load);
  const shops = useLoaded(loadShops).data ?? [];
  const next = loaded.data?.next ?? null;
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [store = "", status = "", from = "", to = ""] = ["store", "status", "from", "to"].map((name) =>
      String(form.get(name) ?? "").trim(),
    );
    setAsked({ filters: { store: shopIn(store, shops), status, from, to }, cursors: [] });
  };
  return (
    <View
      loaded={loaded}
      title="Withdrawals"
      tools={
        <form className="filters" onSubmit={ask}>
          <ShopField first={first.store} shops={shops} />
          <NativeSelect name="status" label="Status" data={choices} defaultValue={first.status} />
          <TextInput name="from" label="From" type="date" defaultValue={first.from} />
          <TextInput name="to" label="To" type="date" defaultValue={first.to} />
          <Button type="submit">Show</Button>
        </form>
      }
      empty={({ withdrawals }) =>
        withdrawals.length === 0 && cursors.length === 0 ? "There are none for these shops and days." : null
      }
    >
      {({ withdrawals }) => (
        <>
          <Table
            caption="Withdrawals, the newest first"
            columns={columnsFor(onStory, ["Asked for", (one) => <When time={one.created_at} />])}
            rows={withdrawals}
            keyOf={keyOf}
          />
          <nav className="pages" aria-label="Pages">
            <Button
              disabled={cursors.length === 0 || loaded.isLoading}
              onClick={() => setAsked({ filters, cursors: cursors.slice(0, -1) })}
            >
              Newer
            </Button>
            <span>
              {number(cursors.length * 200 + 1)} to {number(cursors.length * 200 + withdrawals.length)}
            </span>
            <Button
              disabled={next === null || loaded.isLoading}
              onClick={() => next !== null && setAsked({ filters, cursors: [...cursors, next] })}
            >
              Older
            </Button>
          </nav>
        </>
      )}
    </View>
  );
};
