/** How a service says that no bank stands behind it (extension): a header of every answer of the sign-in. */

/** The header; absent where money is real, and at other servers of the interface. */
export const environmentHeader = "Tillcash-Environment";

/** Its value in the sandbox. */
export const sandboxEnvironment = "sandbox";
