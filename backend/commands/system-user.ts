import { userInfo } from "node:os";

/** Whose account runs this, as the system knows it; a container's user often has a number alone. */
export const systemUser = (name = (): string => userInfo().username, number = process.getuid?.()): string => {
  try {
    return name();
  } catch {
    return `user ${number ?? "unknown"}`;
  }
};
