type Column = number | string | null;

/** What the journal asks of SQLite, so that a test can put one on a disk that loses power. */
export interface JournalDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: Column[]): Record<string, unknown>[];
    iterate(...values: Column[]): Iterable<Record<string, unknown>>;
    get(...values: Column[]): Record<string, unknown> | undefined;
    run(...values: Column[]): unknown;
    /** From then on `all`, `iterate` and `get` give a row as the array of its values, whatever their types say. */
    setReturnArrays(enabled: boolean): void;
  };
  readonly isTransaction: boolean;
  close(): void;
}
