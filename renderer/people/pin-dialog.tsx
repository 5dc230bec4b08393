/** Who is asked for a PIN: over whatever screen needs it, and on the lock screen. */
import { Group, Text } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { type TFunction, t } from "i18next";
import { useRef, useState } from "react";
import { pinLengths } from "../../preload/choices.ts";
import type { Command, Language, PersonView, Refusal, Reply, Snapshot } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import type { ScreenBridge } from "../ui/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import { LinkButton } from "../ui/controls.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { amountText, minorText } from "../ui/format.ts";
import { Frame } from "../ui/frame.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import type { ApprovableCommand, PinQuestion } from "./authority.tsx";
import { ChangePin, FirstPin, ResetPin } from "./new-pin.tsx";
import { PinEntry } from "./pin-entry.tsx";

interface PinDialogProps {
  readonly question: PinQuestion;
  /** The bridge itself: what is asked here is asked once. */
  readonly bridge: ScreenBridge;
}

/** Who may answer: managers, and where the settings allow it any cashier but the one who asks. */
const mayAnswer = ({ command }: PinQuestion, { people, settings }: Snapshot): readonly PersonView[] => {
  const hasSecond = settings.people.notHandedOutBy === "second_person" && people.cashier !== null;
  const byAnyone = command?.type === "not_handed_out" && hasSecond;
  return people.list.filter(({ code, role }) => role === "manager" || (byAnyone && code !== people.cashier?.code));
};

/** Refusals that leave the question open: another try may succeed. */
const answerable: readonly Refusal[] = [
  "wrong_pin",
  "wait",
  "busy",
  "weak_pin",
  "approval_needed",
  "invalid",
  "denied",
  "unreachable",
  "failed",
];
const isAboutPin = (reply: Reply): boolean => !reply.ok && answerable.includes(reply.code);

interface ApprovalRequest {
  /** `manager`: the second person must be one, whoever else is here, and the dialog says so. */
  readonly wording: "approval" | "manager";
  /** "Cash out · €20.00 · Takings" */
  readonly subject: string;
}

/** What a second person agrees to; null where there is no more to say than that a manager is wanted. */
export const approvalRequest = (
  command: Command | null,
  { screen, header }: Snapshot,
  t: TFunction,
  language?: Language,
): ApprovalRequest | null => {
  const request = (
    wording: ApprovalRequest["wording"],
    ...parts: readonly (string | null | undefined)[]
  ): ApprovalRequest => ({
    wording,
    subject: parts.filter(Boolean).join(" · "),
  });
  const sum = (minor: number) => header.day?.currency && minorText(minor, header.day.currency, language);
  /** Only of the withdrawal that the command is about: another one may have come to the screen since. */
  const amount = ({ step }: { readonly step: string }) =>
    step === screen.step && "money" in screen && screen.money !== null ? amountText(screen.money, language) : null;
  const noted = (reason: string, note: string) => [reason, note].filter(Boolean).join(": ");
  switch (command?.type) {
    case "not_handed_out":
      return request("approval", t("payable.notHandedOut"), amount(command), t(`notHandedOut.${command.reason}`));
    case "hand_out":
      return request("approval", t("payable.openAndGive"), amount(command));
    case "open_drawer":
      return request("approval", t("opening.again"), amount(command));
    case "no_sale":
      return request("approval", t("day.noSale"), noted(t(`day.noSaleReasons.${command.reason}`), command.note));
    case "move_cash": {
      const direction = t(command.direction === "in" ? "day.cashIn" : "day.cashOut");
      const why = noted(t(`day.reasons.${command.reason}`), command.note);
      return request("manager", direction, sum(command.amountMinor), why);
    }
    case "recount_day":
      return request("manager", t("day.recount"));
    case "close_day":
      return request("manager", t("day.closeTitle"), sum(totalOf(command.takeOut)), command.reason);
    case "get_day":
      return request("manager", t("day.reveal"));
    default:
      // A command that can be approved and is missing above does not compile.
      command satisfies Exclude<Command, ApprovableCommand> | null | undefined;
      return null;
  }
};

/** The dialog of one question. */
export const PinDialog = ({ question, bridge }: PinDialogProps) => {
  const snapshot = useSnapshot();
  const { kind, resend, end, refused } = question;
  const asked = mayAnswer(question, snapshot);
  const request = approvalRequest(question.command, snapshot, t);
  const wording = (kind === "approval" && request?.wording) || kind;
  const [instead, setInstead] = useState<"reset" | "change" | null>(null);
  const endUnlessPin = async (reply: Reply): Promise<Reply> => {
    if (!isAboutPin(reply)) end(reply.ok && kind !== "approval" ? await resend() : reply);
    return reply;
  };
  const attempt = async (person: string, pin: string): Promise<Reply> =>
    endUnlessPin(
      kind === "approval"
        ? await resend({ person, pin })
        : await bridge.dispatch({ type: "sign_in", person, pin, as: "manager" }),
    );
  const save = async (name: string, pin: string): Promise<Reply> =>
    endUnlessPin(await bridge.dispatch({ type: "set_manager_pin", name, pin }));
  const managers = snapshot.people.managers;
  // Nobody whose PIN could be asked for: their file is damaged or gone.
  const isLost = kind === "manager" && (managers === "lost" || managers === "unreadable");
  const reset = async (command: Command): Promise<Reply> => endUnlessPin(await bridge.dispatch(command));
  const shown = isLost ? "reset" : instead;
  if (shown === "reset")
    return (
      <Dialog opened close={() => end(refused)} title={t("people.resetTitle")} closeLabel={t("people.cancel")}>
        <ResetPin people={snapshot.people} dispatch={reset} />
      </Dialog>
    );
  if (shown === "change")
    return (
      <Dialog opened close={() => setInstead(null)} title={t("people.changePin")} closeLabel={t("people.cancel")}>
        <ChangePin people={asked} dispatch={bridge.dispatch} done={() => setInstead(null)} />
      </Dialog>
    );
  return (
    <Dialog opened close={() => end(refused)} title={t(`people.${wording}Title`)} closeLabel={t("people.cancel")}>
      {kind === "first" ? (
        <>
          <Text inherit c="dimmed">
            {t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}
          </Text>
          <FirstPin save={save} />
        </>
      ) : (
        <PinEntry people={asked} attempt={attempt}>
          {request !== null && (
            <p>
              <strong>{request.subject}</strong>
            </p>
          )}
          <Text inherit c="dimmed">
            {t(`people.${wording}Next`)}
          </Text>
          <Group gap="xs">
            <LinkButton onClick={() => setInstead("change")}>{t("people.changePin")}</LinkButton>
            {kind === "manager" && !snapshot.header.training && (
              <LinkButton onClick={() => setInstead("reset")}>{t("people.forgotten")}</LinkButton>
            )}
          </Group>
        </PinEntry>
      )}
    </Dialog>
  );
};

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
