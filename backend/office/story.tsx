/** The history of one withdrawal: who did what, and when. */
import { Alert, Loader } from "@mantine/core";
import { useCallback } from "react";
import { readJson, type Story } from "./api.ts";
import { useLoaded } from "./session.ts";
import { exactTime, money, statuses } from "./ui.tsx";

const actorWords = { device: "Terminal", partner: "Bank", sweeper: "Time ran out", operator: "Operator" } as const;
const kindWords = {
  contradicted: "The bank contradicted itself",
  dispute_closed: "The dispute was closed",
  decided: "An operator decided",
  approved: "The bank repeated its approval",
  reported_again: "The hand-out was reported again",
  cash_reported: "The terminal said what became of the cash",
} as const;

type Event = Story["events"][number];
/** The title of an event. `settled` is just "Paid" here: that the cash was not reported is shown in the list. */
const titleOf = ({ kind, to }: Event): string =>
  kind !== "transition" ? kindWords[kind] : to === "settled" ? "Paid" : statuses[to].label;
const detailsOf = ({ kind, actor, actor_id, cashier, reason, attempt }: Event): string =>
  [
    actor_id === null ? actorWords[actor] : `${actorWords[actor]} ${actor_id}`,
    cashier && `cashier ${cashier}`,
    attempt && attempt > 1 && `try ${attempt}`,
    kind === "cash_reported" ? statuses[reason as "linked" | "undelivered"].label : reason?.replaceAll("_", " "),
  ]
    .filter(Boolean)
    .join(" · ");

/** A withdrawal's details and its history. */
export const StoryView = ({ id }: { readonly id: string }) => {
  const load = useCallback(
    (token: string) => readJson<Story>(token, `transactions/${encodeURIComponent(id)}/events`),
    [id],
  );
  const { data, problem } = useLoaded(load);
  if (problem !== null) return <Alert color="red">{problem}</Alert>;
  if (data === null) return <Loader aria-label="Reading" />;
  const { events, transaction: one } = data;
  return (
    <>
      <p>
        <b>{money(one.amount, one.currency)}</b> at {one.store_name} <small>{one.store}</small>
        {one.partner_reference !== null && <>, the bank’s reference {one.partner_reference}</>}
        {one.transaction_id_partner !== null && <>, the terminal’s {one.transaction_id_partner}</>}
      </p>
      {events.length === 0 ? <p>It is older than the history that is kept.</p> : <Steps events={events} />}
    </>
  );
};

const Steps = ({ events }: Pick<Story, "events">) => (
  <ol className="story">
    {events.map((event) => (
      <li key={event.sequence}>
        <time dateTime={event.at}>{exactTime(event.at)}</time>
        <b>{titleOf(event)}</b>
        <span className="details">{detailsOf(event)}</span>
      </li>
    ))}
  </ol>
);
