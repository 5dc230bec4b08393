/** Mirrors the terminal's latest snapshot. Written by the bridge's subscription alone; screens only read. */
import { create } from "zustand";
import type { Language, ShopProfile, Snapshot } from "../../preload/contract.ts";
import { systemLanguage } from "../texts/index.ts";
import type { ScreenBridge } from "./bridge.ts";

interface SnapshotStore {
  readonly snapshot: Snapshot | null;
  /** When the snapshot arrived, on this page's monotonic clock: countdowns run from here. */
  readonly receivedAtMs: number;
  /** When its toast arrived, on the same clock; minus infinity for one that was there before this page. */
  readonly toastAtMs: number;
  readonly connected: boolean;
  /** The connection was lost at some time since the page was loaded. */
  readonly wasDisconnected: boolean;
}

const longAgo = Number.NEGATIVE_INFINITY;

const receive = (snapshot: Snapshot) =>
  useSnapshotStore.setState((before) => {
    const receivedAtMs = performance.now();
    const isNewToast = before.snapshot !== null && before.snapshot.toast?.id !== snapshot.toast?.id;
    return { snapshot, receivedAtMs, toastAtMs: isNewToast ? receivedAtMs : before.toastAtMs };
  });

/** The latest snapshot, for screens to read; null before the first one came, and while the program changes between training and real money. */
export const useSnapshotStore = create<SnapshotStore>(() => ({
  snapshot: null,
  receivedAtMs: 0,
  toastAtMs: longAgo,
  connected: true,
  wasDisconnected: false,
}));

/** The snapshot that the screens show. @throws Error where there is none: a page that is starting shows none of them. */
export const useSnapshot = (): Snapshot => {
  const snapshot = useSnapshotStore((store) => store.snapshot);
  if (snapshot === null) throw new Error("no snapshot came yet");
  return snapshot;
};

/** Starts mirroring; the result stops it. */
export const mirrorSnapshots = (bridge: ScreenBridge): (() => void) => {
  const unwatch = bridge.watchConnection((state) =>
    useSnapshotStore.setState(({ wasDisconnected }) => ({
      connected: state !== "lost",
      wasDisconnected: wasDisconnected || state !== "connected",
      ...(state === "restarting" && { snapshot: null }),
    })),
  );
  const unsubscribe = bridge.subscribe(receive);
  return () => {
    unsubscribe();
    unwatch();
  };
};

/** The service's profile of the shop; null until it was received. */
export const useProfile = (): ShopProfile | null => useSnapshotStore((store) => store.snapshot?.header.profile ?? null);

/** The support contact in one line; null when the service names none. */
export const useSupport = (): string | null => {
  const support = useProfile()?.support;
  const parts = [support?.text, support?.phone].filter((part) => part != null);
  return parts.length === 0 ? null : parts.join(", ");
};

/** Whether the journal cannot be written: no cash may be given then, whatever the screen is. */
export const useJournalFailing = (): boolean =>
  useSnapshotStore((store) => store.snapshot?.header.journalFailing ?? false);

/** The language of the person who is signed in, the manager's before the cashier's; else the terminal's. */
export const languageOf = ({ people, settings }: Pick<Snapshot, "people" | "settings">): Language =>
  (people.manager ?? people.cashier)?.language ?? settings.language;

/** The language of the screens. */
export const useLanguage = (): Language =>
  useSnapshotStore(({ snapshot }) => (snapshot === null ? systemLanguage() : languageOf(snapshot)));
