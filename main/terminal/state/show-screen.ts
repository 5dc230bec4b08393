/** Puts another screen in front; its number tells commands made for the one before. */
import type { ActiveScreen, State } from "./state.ts";

/** The state with `activeScreen` and the next screen number. */
export const showScreen = (state: State, activeScreen: ActiveScreen): State => ({
  ...state,
  activeScreen,
  screenNumber: state.screenNumber + 1,
});
