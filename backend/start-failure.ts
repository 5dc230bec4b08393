/** The message when the program cannot start. */
import { UsageError } from "./operate/arguments.ts";
import { messageOf, ServiceError } from "./service-error.ts";
import { StoreRefused } from "./store/store.ts";

/** Exit code for wrong arguments or settings, or an unusable database. */
const exitRefused = 2;
/** Exit code for a defect, and for a command that found something wrong. */
export const exitFailed = 1;

const addressCodes = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"];

const isAddressError = (error: unknown): error is NodeJS.ErrnoException => {
  if (!(error instanceof Error)) return false;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  return addressCodes.includes(code) && (syscall === "listen" || syscall === "getaddrinfo");
};

const portHint =
  "Another program has this port: --port 0 picks a free one; for /metrics --metrics-port names another, 0 none.\n";

/** A sentence for an error that the operator can fix; a stack trace for a defect. */
export const startFailure = (error: unknown): { readonly text: string; readonly exitCode: number } => {
  if (error instanceof UsageError) return { text: `${error.message}\nSee --help.\n`, exitCode: exitRefused };
  if (error instanceof StoreRefused) return { text: `${error.message}\n`, exitCode: exitRefused };
  if (error instanceof ServiceError) {
    const why = error.cause === undefined ? "" : ` (${messageOf(error.cause)})`;
    return { text: `${error.message}${why}\n`, exitCode: exitRefused };
  }
  if (isAddressError(error)) {
    const hint = error.code === "EADDRINUSE" ? portHint : "";
    return { text: `The address cannot be used: ${error.message}\n${hint}`, exitCode: exitRefused };
  }
  if (error instanceof Error && "code" in error && error.code === "EACCES")
    return { text: `A file cannot be used: ${error.message}\n`, exitCode: exitRefused };
  return { text: `${error instanceof Error ? error.stack : error}\n`, exitCode: exitFailed };
};
