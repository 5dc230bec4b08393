/** What the sandbox's own pages say: its start page and the bank's approval page. */
import type { StatusMessage } from "../../websdk/texts/texts.ts";
import type { Behaviour } from "../steering.ts";

/** What the sandbox's pages say, in one language. */
export interface SandboxTexts {
  readonly homeName: string;
  readonly homeTitle: string;
  readonly homeIntro: string;
  readonly startTitle: string;
  readonly startHint: string;
  readonly start: (amount: string) => string;
  readonly freeTitle: string;
  readonly freeHint: string;
  readonly free: string;
  readonly behaviours: Readonly<Record<Behaviour, string>>;
  readonly stepsTitle: string;
  readonly steps: (scaSeconds: number) => readonly string[];
  readonly accessTitle: string;
  readonly accessHint: string;
  readonly shop: string;
  readonly till: string;
  readonly bank: string;
  readonly secret: string;
  readonly moreTitle: string;
  readonly ledger: string;
  readonly docs: string;
  readonly returnedWith: (outcome: string, reference: string) => string;

  readonly scaName: string;
  readonly scaTitle: string;
  readonly scaDetail: string;
  readonly amount: string;
  readonly payee: string;
  readonly approve: string;
  readonly deny: string;
  readonly backToWithdrawal: string;
  readonly unknown: StatusMessage;
  readonly notYet: StatusMessage;
  readonly approved: StatusMessage;
  readonly denied: StatusMessage;
  readonly tooLate: StatusMessage;
  readonly closed: StatusMessage;
}
