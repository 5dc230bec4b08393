/** How the display gets the terminal's views: over the desktop's bridge, else from the host that served the page. It only listens. */
import type { CustomerBridge, CustomerView } from "../../preload/contract.ts";

declare global {
  interface Window {
    readonly customer?: CustomerBridge;
  }
}

const reconnectMs = 1000;
const eventsPath = "/customer-display/events";

/** @param show null: the connection is lost, and what was shown last may be wrong. */
export const listen = (show: (view: CustomerView | null) => void): void => {
  if (window.customer) {
    window.customer.subscribe(show);
    return;
  }
  const open = (): void => {
    const source = new EventSource(eventsPath);
    source.onmessage = (event: MessageEvent<string>) => show(JSON.parse(event.data) as CustomerView);
    source.onerror = () => {
      show(null);
      source.close();
      window.setTimeout(open, reconnectMs);
    };
  };
  open();
};
