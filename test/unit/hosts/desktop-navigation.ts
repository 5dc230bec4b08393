import { type BrowserWindow, calls, handlers } from "./fake-electron.ts";

/** Tries to lead the window away. @param phone where the practice phone is. */
export const tryNavigation = (contents: BrowserWindow["webContents"], phone: unknown) => {
  const isPrevented = (name: string, url: string): boolean => {
    let prevented = false;
    const preventDefault = (): void => {
      prevented = true;
    };
    contents.emit(name, { url, preventDefault });
    return prevented;
  };
  const openWindow = handlers.get("window open") as (request: { readonly url: unknown }) => unknown;
  return {
    web: isPrevented("will-navigate", "https://evil.example/"),
    file: isPrevented("will-navigate", "file:///etc/passwd"),
    otherPage: isPrevented("will-navigate", "app://till/other.html"),
    redirect: isPrevented("will-redirect", "https://evil.example/"),
    frame: isPrevented("will-frame-navigate", "https://evil.example/"),
    webview: isPrevented("will-attach-webview", ""),
    newWindow: openWindow({ url: "https://evil.example/" }),
    phone: openWindow({ url: phone }),
    opened: calls.filter((call) => call.startsWith("open ")),
  };
};
