/** Where cashiers sign in: nothing of a withdrawal can be pressed until one has. */

import { Text } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { t } from "i18next";
import { useRef, useState } from "react";
import type { PeopleView } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Frame } from "../ui/frame.tsx";
import { ChangePin } from "./new-pin.tsx";
import { PinEntry } from "./pin-entry.tsx";

interface LockScreenProps {
  readonly people: PeopleView;
  /** The cashier who was here last, so that coming back from a break is one PIN. */
  readonly lastHere: string;
}

/** Asks who is at the counter. */
export const LockScreen = ({ people, lastHere }: LockScreenProps) => {
  const commands = useCommands();
  const form = useRef<HTMLFormElement>(null);
  const [isChanging, setChanging] = useState(false);
  return (
    <Frame
      tone="locked"
      actions={{
        third: { label: t("people.changePin"), run: () => setChanging(true) },
        main: {
          label: t("people.ok"),
          icon: <IconLogin2 size={36} stroke={2} aria-hidden />,
          shortcut: "mainDeliberate",
          run: () => form.current?.requestSubmit(),
        },
      }}
    >
      <PinEntry
        people={people.list}
        first={lastHere}
        form={form}
        attempt={(person, pin) => commands.dispatch({ type: "sign_in", person, pin, as: "cashier" })}
      >
        <h1>{t("people.lockTitle")}</h1>
        <Text inherit c="dimmed">
          {t("people.lockNext")}
        </Text>
      </PinEntry>
      <Dialog
        opened={isChanging}
        close={() => setChanging(false)}
        title={t("people.changePin")}
        closeLabel={t("people.cancel")}
      >
        <ChangePin people={people.list} dispatch={commands.dispatch} done={() => setChanging(false)} />
      </Dialog>
    </Frame>
  );
};
