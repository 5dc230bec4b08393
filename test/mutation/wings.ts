/** The money path, wing by wing: which files are mutated, and which tests are to notice. */

/** A part of the product with the tests that guard it. */
export interface Wing {
  /** Files to change, as globs from the project's folder. */
  readonly mutate: readonly string[];
  /** Test files that may notice, as globs. Of these, only the tests that run a changed line are run for it. */
  readonly tests: readonly string[];
  /** Tests in those files that last seconds, by a part of their names: they would run for each change that nothing else notices. */
  readonly slow?: readonly string[];
}

/** Stories and tables; what plays for seconds, at random or over files notices too, but a table should. */
const terminalTests = [
  "test/unit/terminal/stories/*.test.ts",
  "!test/unit/terminal/stories/reports-for-days.test.ts",
  "test/unit/terminal/{answers-in-any-order,clock,day,deadline,drawer-money,flow,hand-out,happy-path,printing,pump}.test.ts",
  "test/unit/terminal/{decide-*,recovery,scan,set-up-commands,shop,versions}.test.ts",
  "test/unit/people/{actors,second-person}.test.ts",
];

/** By the name that `npm run mutate -- NAME` takes. */
export const wings: Readonly<Record<string, Wing>> = {
  withdrawals: {
    mutate: ["backend/withdrawals/**/*.ts"],
    tests: [
      "test/service/withdrawals{,-again,-reconcile,-request,-rules}.test.ts",
      "test/service/{archive,caps,chosen-rows,disable-and-erase,history,history-proof,open,ownership}.test.ts",
      "test/service/{partner-reference,retention}.test.ts",
      "test/unit/withdrawals/*.test.ts",
    ],
  },
  partner: {
    mutate: ["backend/partner/**/*.ts"],
    tests: [
      "test/unit/partner/*.test.ts",
      "test/service/{outbox,outbox-unsent,outbox-workers,partner-transport,sealed-keys,send-during-claim}.test.ts",
      "test/service/status-events.test.ts",
    ],
  },
  store: {
    mutate: ["backend/store/**/*.ts", "!backend/store/{copy,postgres*}.ts"],
    tests: [
      "test/unit/store/*.test.ts",
      "test/service/{history-upgrade,owned-keys,ownership,store,withdrawals,withdrawals-reconcile}.test.ts",
    ],
  },
  access: {
    mutate: ["backend/access/**/*.ts"],
    tests: [
      "test/unit/access/*.test.ts",
      "test/service/{journal-head-with-report,sealed-keys,silent-terminals,tampering,token-expiry,unaudited-access}.test.ts",
    ],
  },
  operate: {
    mutate: [
      "backend/operate/{audit,audited-store,backups,erase-user,proof,proven-rows,purge,restore,restore-proof,setting-proof,verify-history}.ts",
      "backend/store/copy.ts",
    ],
    tests: [
      "test/unit/operate/*.test.ts",
      "test/unit/system-user.test.ts",
      "test/service/{backup,disable-and-erase,ended,history-days,history-proof,proven-rows,retention,tampering,tampering-rows}.test.ts",
    ],
  },
  // What an answer of the service means, and what goes out at all.
  calls: {
    mutate: ["main/terminal/service/*.ts"],
    tests: [
      "test/unit/terminal/{access,classify-answer,connection,journal-proof,permanent-errors,read-answer,service-restored}.test.ts",
      "test/unit/terminal/{set-up-commands,shop,transport,unsafe-service,versions}.test.ts",
      "test/unit/terminal/decide-*.test.ts",
      "test/unit/people/{actors,enrol-by-code,reset}.test.ts",
    ],
  },
  people: { mutate: ["main/people/*.ts"], tests: ["test/unit/people/*.test.ts"] },
  books: {
    mutate: ["main/terminal/history/*.ts"],
    tests: [
      "test/unit/terminal/{books-compare,cleared-up,day,day-trouble,figures,history,printing}.test.ts",
      "test/unit/terminal/history-{commands,index,record,story}.test.ts",
    ],
  },
  drawer: {
    mutate: ["main/terminal/day/*.ts"],
    tests: [
      "test/unit/terminal/{cash-on-screen,day,day-trouble,drawer,drawer-cap,drawer-cover,drawer-money,no-sale}.test.ts",
    ],
  },
  decide: { mutate: ["main/terminal/withdrawal/decide-*.ts"], tests: terminalTests },
  // Pure: tables alone, without the stories that play for longer.
  state: {
    mutate: ["main/terminal/withdrawal/*.ts", "!main/terminal/withdrawal/{decide-*,effects*}.ts"],
    tests: [
      "test/unit/terminal/{adoption,after-restart,checkpoint,day-view,decide-*,drawer-cover,due,evolve-*,flow,manager-problems}.test.ts",
      "test/unit/terminal/{print-queue,problems,recovery,screen-name,snapshot,state-laws,upgrade-entry}.test.ts",
    ],
  },
  effects: {
    mutate: ["main/terminal/withdrawal/effects*.ts"],
    tests: [...terminalTests, "test/unit/terminal/{due,effect-loop,permanent-errors,runner-effects}.test.ts"],
  },
  journal: {
    mutate: ["main/terminal/journal/**/*.ts", "main/terminal/journal-start.ts"],
    tests: [
      "test/unit/terminal/journal{,-archive,-archive-damage,-archive-slices,-beside,-chain,-doubt}.test.ts",
      "test/unit/terminal/journal-{files,formats,health,held-back,hidden-pages,kinds,openings,proof,replay,salvage}.test.ts",
      "test/unit/terminal/journal-{stored-rows,syncs,writer}.test.ts",
      "test/unit/terminal/{checkpoint,hand-out,older-programs,recovery,versions}.test.ts",
    ],
    slow: [
      "journal-archive-damage.test.ts > the last page is damaged",
      "power loss > at any sync",
      "for any history",
      "what no key can tell, the service can",
      "an entry that this version does not know",
      "is not upgraded while a reader",
    ],
  },
  hosts: {
    mutate: ["main/browser/till-app.ts", "main/electron/{data-folder,desktop-flags,device-identity}.ts"],
    tests: ["test/unit/hosts/{data-folder,desktop-flags,device-identity,guard,session}.test.ts"],
  },
};
