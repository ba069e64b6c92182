// Runs before the first render, so that a page never flashes in the wrong theme. The console uses the same storage key.
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("tollgate.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the system theme applies.
}
