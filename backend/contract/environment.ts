/** Marks a service without a real bank (extension): a header of each sign-in's answer. */

/** The header's name; absent where money is real, and on other implementations. */
export const environmentHeader = "Tillcash-Environment";

/** Its value in the sandbox. */
export const sandboxEnvironment = "sandbox";
