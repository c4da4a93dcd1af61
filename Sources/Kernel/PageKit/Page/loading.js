// Says that the page did not load, where its modules do not come. A script of its own, which needs none of them.
(() => {
  /// How long the modules may take, in milliseconds: longer than a slow line needs for all of them.
  const patience = 20_000;
  const fail = () => {
    if (!document.body?.inert) return;
    document.body.inert = false;
    document.body.classList.add("failed");
    document.getElementById("failure").hidden = false;
  };
  setTimeout(fail, patience);
  // Errors of elements do not rise, but can be seen on their way down.
  addEventListener("error", (event) => event.target instanceof HTMLScriptElement && fail(), true);
})();
