import { Text } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { t } from "i18next";
import { useRef, useState } from "react";
import { useCommands } from "../ui/command-context.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Frame } from "../ui/frame.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import { ChangePin } from "./new-pin.tsx";
import { PinEntry } from "./pin-entry.tsx";

/**
 * Asks who is at the counter: nothing of a withdrawal can be pressed until a cashier has signed in.
 * @param props.lastHere the cashier who was here last, so that coming back from a break is one PIN.
 */
export const LockScreen = ({ lastHere }: { readonly lastHere: string }) => {
  const { dispatch } = useCommands();
  const { list } = useSnapshot().people;
  const form = useRef<HTMLFormElement>(null);
  const [isChanging, setChanging] = useState(false);
  const close = (): void => setChanging(false);
  return (
    <Frame
      tone="locked"
      actions={{
        third: { label: t("people.changePin"), run: () => setChanging(true) },
        main: {
          label: t("people.ok"),
          icon: IconLogin2,
          shortcut: "mainDeliberate",
          run: () => form.current?.requestSubmit(),
        },
      }}
    >
      <PinEntry
        people={list}
        first={lastHere}
        form={form}
        attempt={(person, pin) => dispatch({ type: "sign_in", person, pin, as: "cashier" })}
      >
        <h1>{t("people.lockTitle")}</h1>
        <Text inherit c="dimmed">
          {t("people.lockNext")}
        </Text>
      </PinEntry>
      <Dialog opened={isChanging} close={close} title={t("people.changePin")} closeLabel={t("people.cancel")}>
        <ChangePin people={list} dispatch={dispatch} done={close} />
      </Dialog>
    </Frame>
  );
};
