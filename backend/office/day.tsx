/** A day's totals by shop, and the download of its lines. */
import { Alert, Button, TextInput } from "@mantine/core";
import { use, useCallback, useState } from "react";
import { ApiProblem, type Day, read, readJson } from "./api.ts";
import { dayAfter, dayBefore, startOf, today } from "./days.ts";
import { SessionContext, useLoaded } from "./session.ts";
import { type Column, money, number, Table, Tag, type Tone, View } from "./ui.tsx";
import type { Filters } from "./withdrawals.tsx";

type Store = Day["stores"][number];
type Total = Day["totals"][number];
type Group = readonly [head: string, findings: readonly Total["finding"][], tone: Tone];

/** The columns: each groups some of the report's findings. */
const groups: readonly Group[] = [
  ["Handed out", ["matched"], "done"],
  ["No word of the cash", ["not_linked"], "act"],
  ["Paid, not handed out", ["undelivered"], "act"],
  ["To be cleared up", ["no_after_silence", "restored", "disputed"], "act"],
  ["Still open", ["settle_unknown"], "wait"],
  ["Ended without cash", ["closed"], "off"],
];

const Cell = ({ totals, group: [, findings, tone] }: { readonly totals: readonly Total[]; readonly group: Group }) => {
  const found = totals.filter(({ finding }) => findings.includes(finding));
  if (found.length === 0) return <span className="none">–</span>;
  return found.map(({ finding, currency, count, amount }) => (
    <span className="sum" key={`${finding} ${currency}`}>
      {tone === "act" ? <Tag tone="act">{number(count)}</Tag> : number(count)} <b>{money(amount, currency)}</b>
    </span>
  ));
};

const save = async (token: string, day: string): Promise<void> => {
  const answer = await read(token, "reconciliation.csv", { from: startOf(day), to: startOf(dayAfter(day)) });
  const href = URL.createObjectURL(await answer.blob());
  Object.assign(document.createElement("a"), { href, download: `reconciliation-${day}.csv` }).click();
  URL.revokeObjectURL(href);
};

/** The table of a day's totals by shop. @param onStore shows a shop's withdrawals of that day. */
export const DayTable = ({ onStore }: { readonly onStore: (filters: Filters) => void }) => {
  const { token, end } = use(SessionContext);
  const [day, setDay] = useState(() => dayBefore(today()));
  const [saving, setSaving] = useState<string | boolean>(false);
  const load = useCallback(
    (token: string) =>
      readJson<Day>(token, "reconciliation/stores", { from: startOf(day), to: startOf(dayAfter(day)) }),
    [day],
  );
  const loaded = useLoaded(load);
  const download = async () => {
    setSaving(true);
    try {
      await save(token, day);
      setSaving(false);
    } catch (error) {
      if (error instanceof ApiProblem && error.isSignedOut) return end(error.message);
      setSaving(error instanceof ApiProblem ? error.message : "The file broke off. Try again.");
    }
  };
  const columns: readonly Column<Store>[] = [
    [
      "Shop",
      ({ store, store_name }) => (
        <button type="button" className="link" onClick={() => onStore({ store, status: "", from: day, to: day })}>
          {store_name} <small>{store}</small>
        </button>
      ),
    ],
    ...groups.map(
      (group): Column<Store> => [group[0], ({ totals }) => <Cell totals={totals} group={group} />, "figures"],
    ),
  ];
  return (
    <View
      loaded={loaded}
      title="Day by shop"
      tools={
        <div className="filters">
          <Button aria-label="The day before" onClick={() => setDay(dayBefore(day))}>
            ‹
          </Button>
          <TextInput
            aria-label="Day"
            type="date"
            value={day}
            max={today()}
            onChange={({ currentTarget: { value } }) => value && setDay(value)}
          />
          <Button aria-label="The day after" disabled={day >= today()} onClick={() => setDay(dayAfter(day))}>
            ›
          </Button>
          <Button onClick={download} loading={saving === true}>
            Download CSV
          </Button>
        </div>
      }
      empty={({ stores }) => (stores.length === 0 ? "No withdrawal was confirmed on this day." : null)}
    >
      {({ stores, totals }) => (
        <>
          {typeof saving === "string" && <Alert color="red">{saving}</Alert>}
          <Table
            caption="The day, shop by shop"
            columns={columns}
            rows={stores}
            keyOf={({ store }) => store}
            foot={[
              <b key="shops">
                {number(stores.length)} {stores.length === 1 ? "shop" : "shops"}
              </b>,
              ...groups.map((group) => <Cell key={group[0]} totals={totals} group={group} />),
            ]}
          />
        </>
      )}
    </View>
  );
};
