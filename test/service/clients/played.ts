/** What every generated client has to see when it plays a bank and a terminal against the service. */
export interface Played {
  /** The barcode of the withdrawal that was paid. */
  readonly id: string;
  /** The shops that the bank may use. */
  readonly stores: readonly string[];
  /** Asked for again with the same key: the same barcode. */
  readonly repeatedId: string;
  /** In the order of the calls: request, confirm, approve, held read, link. */
  readonly statuses: readonly string[];
  readonly history: readonly string[];
  readonly finding: string | undefined;
  readonly csvHeader: string | undefined;
  /** A refusal whose code and limits the client could read by their types. */
  readonly refusal: { readonly code: string; readonly largest: string | undefined };
  readonly undelivered: string;
  readonly rejected: string;
  readonly canceled: string;
  readonly destination: string | null;
  readonly user: string;
}

/** The demo shop's terminal, as `POST /oauth2/authorize` takes it. */
export const terminal = {
  grant_type: "client_credentials",
  merchant_id: "demo-shop",
  device_id: "till-1",
  device_type: "terminal",
  password: "till-secret",
  scope: "",
} as const;

/** The demo bank, as `POST /oauth2/token` takes it. */
export const bank = {
  grant_type: "client_credentials",
  client_id: "demo-bank/server-1",
  client_secret: "bank-secret",
} as const;

/** A withdrawal that the demo bank asks for. */
export const order = { user_id: "ann", amount: "50.00", currency: "EUR", store: "demo-shop" } as const;

/** A check-in of the demo bank's customer. */
export const checkin = {
  referenceId: "check-in-1",
  additionalData: {
    brand: "Demo Bank",
    userId: "ann",
    balance: "120.00",
    currency: "EUR",
    urlBack: "https://app.demo-bank.example/back",
  },
} as const;
