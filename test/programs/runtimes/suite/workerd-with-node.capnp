using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "host", worker = .host)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "host")],
);

# With the globals of Node, as is the default since August 2026: a Worker must not be taken for one.
const host :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-10-01",
);
