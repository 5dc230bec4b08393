/** The list of terminals: those silent while their shops are open, or all. */
import { Button, Checkbox } from "@mantine/core";
import { useCallback, useState } from "react";
import { readJson, type Terminals } from "./api.ts";
import { useLoaded } from "./session.ts";
import { type Column, exactTime, number, Table, Tag, View, When } from "./ui.tsx";

type Terminal = Terminals["terminals"][number];

const columns: readonly Column<Terminal>[] = [
  [
    "Shop",
    ({ store, store_name }) => (
      <>
        {store_name} <small>{store}</small>
      </>
    ),
  ],
  ["Terminal", ({ device_id }) => device_id],
  ["Last heard", ({ heard_at }) => (heard_at === null ? "Never" : <When time={heard_at} />)],
  ["State", ({ silent }) => (silent ? <Tag tone="act">Silent while open</Tag> : <Tag tone="off">–</Tag>)],
  ["Version", ({ version }) => version ?? "–"],
  [
    "Journal",
    ({ journal: { seq, forked_at } }) =>
      forked_at === null ? (
        seq === null ? (
          "–"
        ) : (
          `Entry ${number(seq)}`
        )
      ) : (
        <span title={`Two machines run on copies of one folder, since ${exactTime(forked_at)}`}>
          <Tag tone="act">Forked</Tag>
        </span>
      ),
  ],
];

/** The table of terminals. */
export const TerminalsTable = () => {
  const [{ isAll, cursors }, setAsked] = useState<{ isAll: boolean; cursors: readonly string[] }>({
    isAll: false,
    cursors: [],
  });
  const load = useCallback(
    (token: string) =>
      readJson<Terminals>(token, "terminals", { silent: isAll ? null : "true", cursor: cursors.at(-1) }),
    [isAll, cursors],
  );
  const loaded = useLoaded(load);
  const next = loaded.data?.next ?? null;
  return (
    <View
      loaded={loaded}
      title="Terminals"
      tools={
        <Checkbox
          label="All terminals, not the silent ones alone"
          checked={isAll}
          onChange={({ currentTarget }) => setAsked({ isAll: currentTarget.checked, cursors: [] })}
          className="beside"
        />
      }
      empty={({ terminals }) =>
        terminals.length > 0 || cursors.length > 0
          ? null
          : isAll
            ? "Your shops have no terminals."
            : "No terminal is silent. Shops without opening hours at the service are not counted."
      }
    >
      {({ terminals }) => (
        <>
          <Table
            caption={isAll ? "Terminals" : "Terminals of which nothing was heard for 20 minutes of opening hours"}
            columns={columns}
            rows={terminals}
            keyOf={({ store, device_id }) => `${store}/${device_id}`}
          />
          {(cursors.length > 0 || next !== null) && (
            <nav className="pages" aria-label="Pages">
              <Button
                disabled={cursors.length === 0}
                onClick={() => setAsked({ isAll, cursors: cursors.slice(0, -1) })}
              >
                Back
              </Button>
              <Button
                disabled={next === null}
                onClick={() => next !== null && setAsked({ isAll, cursors: [...cursors, next] })}
              >
                Next
              </Button>
            </nav>
          )}
        </>
      )}
    </View>
  );
};
