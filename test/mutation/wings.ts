/** The money path, wing by wing: which files are mutated, and which tests are to notice. */

/** A part of the product with the tests that guard it. */
export interface Wing {
  /** Files to change, as globs from the project's folder. */
  readonly mutate: readonly string[];
  /** Test files that may notice, as globs. Of these, only the tests that run a changed line are run for it. */
  readonly tests: readonly string[];
}

/** Tests that start processes or a server of their own take too long for thousands of mutants. */
const serviceTests = [
  "test/service/**/*.test.ts",
  "!test/service/{kill,cli,power-loss,fuzz,openapi}*.test.ts",
  "!test/service/postgres*.test.ts",
  "!test/service/integration/**",
];
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
      "test/service/withdrawals*.test.ts",
      "test/service/{archive,caps,cashier-code,decide-settling,disable-and-erase,history,ownership,partner-reference,retention}.test.ts",
    ],
  },
  partner: { mutate: ["backend/partner/**/*.ts"], tests: [...serviceTests, "test/unit/partner/**/*.test.ts"] },
  store: { mutate: ["backend/store/**/*.ts", "!backend/store/postgres*.ts"], tests: serviceTests },
  access: { mutate: ["backend/access/**/*.ts"], tests: serviceTests },
  decide: { mutate: ["main/terminal/decide/**/*.ts"], tests: terminalTests },
  state: {
    mutate: ["main/terminal/state/**/*.ts"],
    tests: [
      ...terminalTests,
      "test/unit/terminal/{access,book-changes,books,books-compare,checkpoint,cleared-up,evolve-*,history}.test.ts",
      "test/unit/terminal/{older-programs,snapshot,snapshot-order,upgrade-entry}.test.ts",
      "test/unit/people/{device-address,enrol-by-code,language,reset,rights,sign-in}.test.ts",
    ],
  },
  effects: {
    mutate: ["main/terminal/effects/**/*.ts"],
    tests: [...terminalTests, "test/unit/terminal/{due,permanent-errors,runner-effects}.test.ts"],
  },
  journal: { mutate: ["main/terminal/journal/**/*.ts"], tests: terminalTests },
  hosts: {
    mutate: ["main/browser/{guard,session}.ts", "main/electron/{command-line,data-folder,device-identity}.ts"],
    tests: ["test/unit/hosts/{data-folder,desktop-flags,device-identity,guard,session}.test.ts"],
  },
};
