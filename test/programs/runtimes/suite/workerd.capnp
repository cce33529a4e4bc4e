using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "host", worker = .host)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "host")],
);

# Nothing of Node is there, as it was the default until August 2026.
const host :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat"],
);
