// Run by Electron: one window for a page that a test brings along.
const { app, BrowserWindow } = require("electron");

app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1100, height: 860, webPreferences: { backgroundThrottling: false } });
  return window.loadURL("about:blank");
});
