/** Asks before the till is left while messages to the service still wait for delivery. */
import { type BrowserWindow, dialog } from "electron";
import type { Bridge, Settings } from "../preload/contract.ts";

interface Texts {
  readonly message: (count: number) => string;
  readonly detail: string;
  readonly stay: string;
  readonly close: string;
}

const texts: Readonly<Record<Settings["language"], Texts>> = {
  en: {
    message: (count) =>
      count === 1 ? "One message was not delivered yet." : `${count} messages were not delivered yet.`,
    detail:
      "They are kept and sent when the till is started again. Until then the service does not know what happened here.",
    stay: "Stay",
    close: "Close anyway",
  },
  de: {
    message: (count) =>
      count === 1 ? "Eine Meldung ist noch nicht zugestellt." : `${count} Meldungen sind noch nicht zugestellt.`,
    detail:
      "Sie bleiben erhalten und werden beim nächsten Start gesendet. Bis dahin weiß der Dienst nicht, was hier geschah.",
    stay: "Hierbleiben",
    close: "Trotzdem schließen",
  },
};

export interface CloseQuestion {
  /** Whether the window may close without asking (again). */
  isAnswered(): boolean;
  /** Resolves true when the till may be left. */
  ask(): Promise<boolean>;
}

export function mayClose(bridge: Bridge, window: BrowserWindow): CloseQuestion {
  let waiting = 0;
  let language: Settings["language"] = "en";
  let agreed = false;
  let asking: Promise<boolean> | null = null;
  bridge.subscribe(({ header, settings }) => {
    waiting = header.undelivered?.count ?? 0;
    language = settings.language;
  });
  async function showQuestion(): Promise<boolean> {
    const { message, detail, stay, close } = texts[language];
    const { response } = await dialog.showMessageBox(window, {
      type: "warning",
      message: message(waiting),
      detail,
      buttons: [stay, close],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    agreed = response === 1;
    asking = null;
    return agreed;
  }
  return {
    isAnswered: () => agreed || waiting === 0,
    ask() {
      asking ??= showQuestion();
      return asking;
    },
  };
}
