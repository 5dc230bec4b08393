/** The money path, wing by wing: which files are mutated, and which tests are to notice. */

/** A part of the product with the tests that guard it. */
export interface Wing {
  /** Files to change, as globs from the project's folder. */
  readonly mutate: readonly string[];
  /** Test files that may notice, as globs. Of these, only the tests that run a changed line are run for it. */
  readonly tests: readonly string[];
  /** Tests in those files that last seconds, by a part of their names: they would run for each change that nothing else notices. */
  readonly slow?: readonly string[];
  /** Which its tests play on: a PostgreSQL runs beside them, with a database for each. Default: SQLite alone. */
  readonly stores?: "sqlite" | "postgres" | "both";
}

/** The terminal's stories and tables; what plays for seconds, at random or in programs of its own notices too, but a table should. */
const journalTests = [
  "test/unit/{terminal,people}/**/*.test.ts",
  "!test/unit/terminal/{clock,crash,drawer,drawer-watch,find-printers,foreign-lock,journal-cli,journal-forks}.test.ts",
  "!test/unit/terminal/{long-life,printer,printer-line,receipts,serial-line,versions}.test.ts",
  "!test/unit/people/language.test.ts",
];
/** Those of full disks are the journal's alone. */
const terminalTests = [...journalTests, "!test/unit/terminal/disk-room.test.ts"];

/** By the name that `npm run mutate -- NAME` takes. */
export const wings: Readonly<Record<string, Wing>> = {
  withdrawals: {
    mutate: ["backend/withdrawals/**/*.ts"],
    tests: [
      "test/service/withdrawals{,-again,-reconcile,-request,-rules}.test.ts",
      "test/service/{archive,caps,chosen-rows,decided-cash,disable-and-erase,ended,given-twice,history,history-proof}.test.ts",
      "test/service/{journal-head-with-report,lost-commits,open,outbox-unsent,ownership,partner-reference,proven-rows,reports-closed}.test.ts",
      "test/service/{restored,restored-at-once,restored-bounds,retention}.test.ts",
      "test/unit/{access/codes,operate/open-lines,operate/restore-proof,operate/verify-history}.test.ts",
      "test/unit/withdrawals/*.test.ts",
    ],
    slow: [
      "what goes on between any two statements is no finding",
      "a terminal is told since when to repeat",
      "cash that was handed out after the copy is not handed out again",
      "all that is open in the copy ends with an event",
      "a newer copy after an older one",
      "`restored` asks since when",
      "one terminal leaves no more than its bound",
    ],
  },
  partner: {
    mutate: ["backend/partner/**/*.ts"],
    tests: [
      "test/unit/partner/*.test.ts",
      "test/unit/{contract/partner,outbound/outbound}.test.ts",
      "test/service/{outbox,outbox-unsent,outbox-workers,partner-transport,sealed-keys,send-during-claim}.test.ts",
      "test/service/status-events.test.ts",
    ],
  },
  store: {
    mutate: ["backend/store/**/*.ts", "!backend/store/{copy,database-clock,postgres*}.ts"],
    tests: [
      "test/unit/store/*.test.ts",
      "test/unit/operate/restore.test.ts",
      "test/unit/withdrawals/{as-reported,lost-commits}.test.ts",
      "test/service/{caps,history-upgrade,owned-keys,ownership,restored,restored-at-once,restored-bounds}.test.ts",
      "test/service/{settings-found,store,withdrawals,withdrawals-reconcile}.test.ts",
    ],
  },
  postgres: {
    mutate: ["backend/store/{database-clock,postgres*}.ts"],
    tests: [
      "test/unit/store/{batches,database-clock,no-connection,notices,postgres-reread,run-together,shared-sessions,statement}.test.ts",
      "test/service/{column-order,commit-conflict,few-locks,migrate,partitions-upgrade,postgres-rules}.test.ts",
      "test/service/{postgres-silence,schema-change,shared-commits,store}.test.ts",
    ],
    slow: [
      "a machine that dies in the middle",
      "they stay as they are while a dump",
      "they stay as they are while a report",
      "nobody misses a withdrawal while they are copied",
      "open ones go on in processes from before",
      "nobody's withdrawal fails while it is divided",
      // Roles are the server's, on which other runners make them too.
      "where another role",
      "where somebody may read single columns",
      "what is there becomes the partition without a beginning",
      "many programs that start on an empty database",
      "units of two processes that lock each other out",
      "a table that somebody reads for long",
    ],
    stores: "postgres",
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
      "backend/operate/{audit,audited-store,backups,erase-user,proven-rows,purge,restore,restore-proof,setting-proof,verify-history}.ts",
      "backend/store/copy.ts",
    ],
    tests: [
      "test/unit/operate/*.test.ts",
      "test/unit/system-user.test.ts",
      "test/service/{backup,disable-and-erase,ended,history-days,history-proof,proven-rows,retention,tampering,tampering-rows}.test.ts",
    ],
    slow: [
      "what goes on between any two statements is no finding",
      "nor do the bytes of the database and its log hold the id",
      "keeps two of the four threads with which banks' names are looked up",
    ],
  },
  // The lines of the history's days, and the end of a month: PostgreSQL alone has partitions to drop and writers to wait for.
  proof: {
    mutate: ["backend/operate/proof.ts"],
    tests: [
      "test/unit/operate/*.test.ts",
      "test/service/{ended,history-days,history-proof,partitions,proven-rows,retention}.test.ts",
    ],
    slow: ["what goes on between any two statements is no finding"],
    stores: "both",
  },
  // What an operator says at the command line: keys, shops, banks, who may do what, and how a report is closed.
  commands: {
    mutate: ["backend/operate/{chains,commands,import,merchants,partners,reports,service-key,terminals}.ts"],
    tests: [
      "test/unit/operate/{commands,import,open-lines}.test.ts",
      "test/service/{decided-cash,disable-and-erase,enrolment,given-twice,head-office,open}.test.ts",
      "test/service/{operator-commands,partner-binding,partner-brand,partner-keys-command,sealed-keys}.test.ts",
      "test/service/{service-key,silent-terminals,terminals}.test.ts",
    ],
    slow: [
      "heads that come at once are kept or refused",
      "guessing codes is slowed down by address",
      "one that has the old key alone and slept through the rotation",
      "the running service logs each command once",
      "a sheet to print beside the codes or alone",
      // Read what the tests before them have done, or have not done.
      "a newer code ends the older",
      "the audit says who did what",
      "entries that were added, changed, deleted or cut off show",
      "a journal's head goes forward",
      "its shops' withdrawals alone",
      "its shops are added, taken away and listed",
      "reads the report over its shops",
      "reads a withdrawal's story",
      "lists its shops' terminals with version and journal",
      "has the bank's name, logo and colour",
      "a zone's clock is made once",
    ],
  },
  // Shops and their limits, opening hours and chains, users, check-ins, and money as it is written and read.
  shops: {
    mutate: ["backend/{checkin,merchants,users}/*.ts", "backend/contract/money.ts"],
    tests: [
      "test/unit/{default-limits,opening,settled-bounds,shops}.test.ts",
      "test/unit/{access/contacts,access/kept-shops,access/setting-entries,contract/money,renderer/format}.test.ts",
      "test/unit/withdrawals/{as-reported,caps,report,verbs}.test.ts",
      "test/service/{caps,checkin,disable-and-erase,laundered-settings,operator-commands}.test.ts",
      "test/service/{restored-bounds,restored-http,retention,settings-found,silent-terminals,tampering,terminals,users}.test.ts",
      "test/service/{websdk,withdrawals,withdrawals-request,withdrawals-rules}.test.ts",
    ],
    slow: [
      "of a thousand and one each is listed once",
      "`restored` asks since when",
      "one terminal leaves no more than its bound",
      "by the app's own scheme, and never",
    ],
  },
  // What every call passes on its way: its form, its token and scope, its answer. The texts of the reference are not tried.
  http: {
    mutate: [
      "backend/http/{app-context,create-app,listen,problem,request,serve-operation}.ts",
      "backend/http/operations/*.ts",
    ],
    tests: [
      "test/unit/http/*.test.ts",
      "test/unit/{client-address,operations,shops,start-failure}.test.ts",
      "test/service/{cashier-code,checkin,enrolment,hostile-ids,http,http-refusals,large-body}.test.ts",
      "test/service/{manager-reset,request-id,restored-http,terminals,unaudited-access,users}.test.ts",
      "test/security/service-requests.test.ts",
    ],
    slow: ["is told its shop's name, limits"],
  },
  // How a command line, the parent's message and the service itself come to their database.
  manage: {
    mutate: ["backend/operate/{answer-host,arguments,manage}.ts", "backend/{open,prepare}-database.ts"],
    tests: [
      "test/unit/{command-help,open-database}.test.ts",
      "test/unit/operate/{answer-host,manage}.test.ts",
      "test/unit/store/opened.test.ts",
      "test/service/{config,fleet-start,open,opened-on-postgres,operator-commands,sealed-keys,settings-found}.test.ts",
    ],
    stores: "both",
  },
  // What an answer of the service means, and what goes out at all.
  calls: { mutate: ["main/terminal/service/*.ts"], tests: terminalTests },
  people: { mutate: ["main/people/*.ts"], tests: terminalTests },
  books: { mutate: ["main/terminal/history/*.ts"], tests: terminalTests },
  drawer: { mutate: ["main/terminal/day/*.ts"], tests: terminalTests },
  decide: { mutate: ["main/terminal/withdrawal/decide-*.ts"], tests: terminalTests },
  state: {
    mutate: ["main/terminal/withdrawal/*.ts", "!main/terminal/withdrawal/{decide-*,effects*}.ts"],
    tests: terminalTests,
  },
  effects: { mutate: ["main/terminal/withdrawal/effects*.ts"], tests: terminalTests },
  journal: {
    mutate: ["main/terminal/journal/**/*.ts", "main/terminal/journal-start.ts"],
    tests: [...journalTests, "test/unit/hosts/{earlier-life,held-settings}.test.ts"],
    slow: [
      "is damaged: all that the others hold",
      "power loss > at any sync",
      "for any history",
      "on a disk that really ends",
    ],
  },
  hosts: {
    mutate: ["main/browser/till-app.ts", "main/electron/{data-folder,desktop-flags,device-identity}.ts"],
    tests: [
      "test/unit/hosts/{data-folder,desktop-flags,device-identity,guard,page-headers,page-port,page-streams,session,till-app}.test.ts",
    ],
  },
};
