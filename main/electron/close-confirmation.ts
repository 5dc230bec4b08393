/** Asks before the terminal is left while a withdrawal may hold money, or the service does not know yet how one ended. */
import { type BrowserWindow, dialog } from "electron";
import type { Bridge, Settings } from "../../preload/contract.ts";

interface Texts {
  readonly message: (count: number) => string;
  readonly detail: string;
  readonly stay: string;
  readonly close: string;
}

const texts: Readonly<Record<Settings["language"], Texts>> = {
  en: {
    message: (count) =>
      count === 1 ? "One withdrawal is not finished yet." : `${count} withdrawals are not finished yet.`,
    detail:
      "The terminal keeps them and goes on with them when it is started again. Until then the service may not know what happened here, and a customer may be waiting.",
    stay: "Stay",
    close: "Close anyway",
  },
  de: {
    message: (count) =>
      count === 1
        ? "Eine Auszahlung ist noch nicht abgeschlossen."
        : `${count} Auszahlungen sind noch nicht abgeschlossen.`,
    detail:
      "Das Terminal behält sie und macht beim nächsten Start damit weiter. Bis dahin weiß der Dienst vielleicht nicht, was hier geschah, und ein Kunde wartet vielleicht.",
    stay: "Hierbleiben",
    close: "Trotzdem schließen",
  },
  fr: {
    message: (count) =>
      count === 1 ? "Un retrait n’est pas encore terminé." : `${count} retraits ne sont pas encore terminés.`,
    detail:
      "Le terminal les garde et les reprend au prochain démarrage. D’ici là, le service ne sait peut-être pas ce qui s’est passé ici, et un client attend peut-être.",
    stay: "Rester",
    close: "Fermer quand même",
  },
  it: {
    message: (count) =>
      count === 1 ? "Un prelievo non è ancora concluso." : `${count} prelievi non sono ancora conclusi.`,
    detail:
      "Il terminale li conserva e li riprende al prossimo avvio. Fino ad allora il servizio forse non sa che cosa è successo qui, e un cliente forse aspetta.",
    stay: "Restare",
    close: "Chiudere lo stesso",
  },
};

/** The question that is asked before the window closes. */
export interface CloseQuestion {
  /** Whether the window may close without asking (again). */
  isAnswered(): boolean;
  /** Resolves true when the terminal may be left. */
  confirmClose(): Promise<boolean>;
}

/** Asks in a dialog of the system, in the terminal's language. It is asked once: whoever agreed is not asked again. */
export function createCloseConfirmation(bridge: Bridge, window: BrowserWindow): CloseQuestion {
  let unfinished = 0;
  let language: Settings["language"] = "en";
  let agreed = false;
  let asking: Promise<boolean> | null = null;
  bridge.subscribe(({ header, settings }) => {
    unfinished = header.unfinished;
    language = settings.language;
  });
  async function showQuestion(): Promise<boolean> {
    const { message, detail, stay, close } = texts[language];
    const { response } = await dialog.showMessageBox(window, {
      type: "warning",
      message: message(unfinished),
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
    isAnswered: () => agreed || unfinished === 0,
    confirmClose() {
      asking ??= showQuestion();
      return asking;
    },
  };
}
