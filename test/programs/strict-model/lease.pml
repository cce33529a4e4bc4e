/*
 * The rules of src/cache for spin: one node that answers from memory, its database, and one or two
 * revokers, in every order of steps within bounds. One node is enough: nodes never read each other's
 * state, and a revocation resolves when its condition holds for each of them.
 *
 * Time is in ticks. BUG names a mistake that spin must find; 0 is the protocol as it is. The test beside it has
 * the bounds and the names.
 */

/* What a revoker is doing. Early: it has taken a sequence, or read the nodes, before its commit, which only
   a mistake allows. Evicting: it has resolved. */
#define IDLE 0
#define EARLY 1
#define COMMITTED 2
#define WAITING 3
#define EVICTING 4
#define RESOLVED 5

/* Where a lookup is, and where a renewal is. */
#define NONE 0
#define SENT 1
#define FOUND 2
#define ANSWERED 2
#define EVICTED 3

#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define HAS(bug) (BUG == bug)
#define KEY(r) (r * KEY1)

/* The database. */
byte head, row, acked;
byte revokedAt[2];
/* The node. `applied` is one more than the sequence, and 0 when nothing is applied. */
byte isRegistered, isCommitting, applied, lease, flag;
byte message, messageAge, messageApplied, messageHead;
/* One more than `applied` of a renewal that was given up, and the head of a lease that was given too early. */
byte late, unapplied;
byte entry[2], lookup[2], isDirty[2], held[2];
/* The revokers: whether the row of the node is the one they have seen, and has not renewed since. */
byte phase[2], sequence[2], elapsed[2], isSameRow[2], isAsSeen[2];
/* The backup, and what was carried out since: a restore undoes that. */
byte isSaved, savedHead, savedRow, savedAcked, isRestored;
byte savedRevokedAt[2];
byte answeredSince, messageSince, lateSince, isOtherLog, hasCaughtUp;
/* The node is connected to a primary that was replaced: it answers reads, and no change. */
byte isReplaced;
byte isAliveThere[2];
/* What is left of the bounds. */
byte slowTicks = SLOW, fastTicks = FAST, lateRenewals = LATE, restores = RESTORES, replacements = REPLACED;

/* A call that begins now must not be accepted with a key whose revocation has resolved. */
#define FROM_MEMORY(k) (entry[k] + held[k] > 0 && (HAS(11) -> flag : lease) > 0)
#define FROM_READ(k) ((lease > 0 || HAS(8)) && isAliveThere[k])
#define JOINED(k) (HAS(9) && lookup[k] == FOUND)
#define SAFE(r) (phase[r] < EVICTING || !(FROM_MEMORY(KEY(r)) || FROM_READ(KEY(r)) || JOINED(KEY(r))))
#define CHECK assert(SAFE(0)); assert(REVOKERS < 2 || SAFE(1))

#define IS_LAGGING(r) (row && acked < sequence[r] + 1)
#define IS_OTHER(since) (!(HAS(5) && hasCaughtUp) && isRestored && since)
#define MAY_ACKNOWLEDGE(since) (row && (HAS(4) || !IS_OTHER(since)))
#define IS_RESOLVED(k) ((KEY(0) == k && phase[0] >= EVICTING) || (REVOKERS == 2 && KEY1 == k && phase[1] >= EVICTING))

inline forget(k) {
  entry[k] = 0;
  if :: lookup[k] != NONE -> isDirty[k] = 1 :: else fi
}

inline forgetAll() { forget(0); forget(1) }

inline withoutRow() {
  row = 0; acked = 0;
  isSameRow[0] = 0; isSameRow[1] = 0; isAsSeen[0] = 0; isAsSeen[1] = 0
}

inline withoutMessage() {
  message = NONE; messageAge = 0; messageApplied = 0; messageHead = 0; messageSince = 0; isOtherLog = 0
}

inline unregister() {
  isRegistered = 0; applied = 0; lease = 0; flag = 0; answeredSince = 0; savedRow = 0; savedAcked = 0;
  withoutRow()
}

inline enter(r, to) { phase[r] = to; elapsed[r] = 0; isSameRow[r] = 0; isAsSeen[r] = 0 }

inline see(r) { phase[r] = WAITING; isSameRow[r] = 1; isAsSeen[r] = 1 }

inline tickOf(r, ticks) {
  if :: phase[r] == WAITING -> elapsed[r] = MIN(WAIT, elapsed[r] + ticks) :: else fi
}

inline tick(ofNode, ofRevokers) {
  lease = (lease > ofNode -> lease - ofNode : 0);
  if :: message != NONE -> messageAge = MIN(LEASE, messageAge + ofNode) :: else fi;
  tickOf(0, ofRevokers);
  tickOf(1, ofRevokers)
}

inline applyTo(k, until) {
  if :: applied > 0 && revokedAt[k] >= applied && revokedAt[k] <= until -> forget(k) :: else fi
}

inline apply(until) {
  if :: applied == 0 && !HAS(18) && !HAS(19) -> forgetAll() :: else fi;
  applyTo(0, until);
  applyTo(1, until);
  applied = until + 1
}

inline commit(r) {
  wasRevoked = revokedAt[KEY(r)] > 0;
  taken = sequence[r];
  sequence[r] = (taken > 0 -> taken : head + (wasRevoked -> 0 : 1));
  if :: !wasRevoked -> revokedAt[KEY(r)] = sequence[r] :: else fi;
  head = MAX(head, sequence[r]);
  if
  :: phase[r] == EARLY && taken == 0 ->
    if :: isSameRow[r] -> see(r) :: else -> enter(r, RESOLVED) fi
  :: else ->
    if
    :: HAS(13) || (wasRevoked && HAS(15)) -> enter(r, RESOLVED)
    :: else -> phase[r] = COMMITTED
    fi
  fi;
  wasRevoked = 0; taken = 0
}

inline undo(r) {
  if
  :: r < REVOKERS && revokedAt[KEY(r)] == 0 -> enter(r, IDLE); sequence[r] = 0
  :: else -> isSameRow[r] = isSameRow[r] & row
  fi;
  isAsSeen[r] = isSameRow[r]
}

inline restore() {
  restores = 0; isRestored = 1;
  head = savedHead; row = savedRow; acked = savedAcked;
  revokedAt[0] = savedRevokedAt[0]; revokedAt[1] = savedRevokedAt[1];
  isSaved = 0; savedHead = 0; savedRow = 0; savedAcked = 0; savedRevokedAt[0] = 0; savedRevokedAt[1] = 0;
  late = 0; lateSince = 0;
  if :: message == SENT -> withoutMessage() :: else fi;
  undo(0);
  undo(1)
}

/* The steps of a key. */
#define IS_ALIVE(k) (isReplaced -> isAliveThere[k] : revokedAt[k] == 0)
#define LOOKUPS(k) \
  :: d_step { lookup[k] == NONE -> lookup[k] = SENT; CHECK } \
  :: d_step { lookup[k] == SENT && IS_ALIVE(k) -> lookup[k] = FOUND; CHECK } \
  :: d_step { lookup[k] == FOUND -> entry[k] = (HAS(7) || !isDirty[k] -> 1 : entry[k]); lookup[k] = NONE; isDirty[k] = 0; CHECK } \
  :: d_step { lookup[k] == SENT -> lookup[k] = NONE; isDirty[k] = 0; CHECK } \
  :: d_step { HAS(10) && entry[k] && IS_RESOLVED(k) && !held[k] -> held[k] = 1; CHECK }

/* The steps of a revoker. */
#define REVOCATION(r) \
  :: d_step { phase[r] == IDLE && HAS(16) -> sequence[r] = 1 + MAX(head, sequence[1 - r]); phase[r] = EARLY; CHECK } \
  :: d_step { phase[r] == IDLE && HAS(14) -> head++; sequence[r] = head; phase[r] = EARLY; CHECK } \
  :: d_step { phase[r] == IDLE && HAS(12) -> isSameRow[r] = row; isAsSeen[r] = row; phase[r] = EARLY; CHECK } \
  :: d_step { phase[r] == IDLE && !HAS(16) && !HAS(14) && !HAS(12) -> commit(r); CHECK } \
  :: d_step { phase[r] == EARLY -> commit(r); CHECK } \
  :: d_step { phase[r] == COMMITTED && IS_LAGGING(r) -> enter(r, RESOLVED); see(r); CHECK } \
  :: d_step { phase[r] == COMMITTED && !IS_LAGGING(r) -> enter(r, RESOLVED); CHECK } \
  :: d_step { phase[r] == WAITING && (!isSameRow[r] || !IS_LAGGING(r)) -> enter(r, RESOLVED); CHECK } \
  :: d_step { phase[r] == WAITING && elapsed[r] >= WAIT -> phase[r] = EVICTING; CHECK } \
  :: d_step { phase[r] == EVICTING -> \
      if \
      :: row && (HAS(17) || (isSameRow[r] && isAsSeen[r] && IS_LAGGING(r))) -> withoutRow() \
      :: else \
      fi; enter(r, RESOLVED); CHECK } \
  :: d_step { phase[r] == EVICTING -> enter(r, RESOLVED); CHECK }

active proctype protocol() {
  byte wasRevoked, taken, age, until, since, isOther;
  do
  /* Time. */
  :: d_step { tick(1, 1); CHECK }
  :: d_step { slowTicks > 0 -> tick(0, 1); slowTicks--; CHECK }
  :: d_step { fastTicks > 0 -> tick(1, 2); fastTicks--; CHECK }
  :: d_step { flag && lease == 0 -> flag = 0; CHECK }

  /* Registration. */
  :: d_step { !isRegistered && !isReplaced ->
      isRegistered = 1;
      if :: HAS(20) -> forgetAll(); applied = head + 1; isCommitting = 1 :: else -> row = 1 fi;
      CHECK }
  :: d_step { isRegistered && isCommitting -> isCommitting = 0; row = 1; lease = LEASE; CHECK }

  /* Renewal. */
  :: d_step { message == NONE && isRegistered && !isCommitting && !unapplied ->
      message = SENT; messageApplied = applied;
      if :: HAS(19) && applied == 0 -> forgetAll() :: else fi;
      CHECK }
  :: d_step { message == SENT && !isReplaced ->
      if
      :: row == 0 -> message = EVICTED
      :: else ->
        until = (HAS(3) -> head + 1 : messageApplied);
        if :: MAY_ACKNOWLEDGE(answeredSince) -> acked = MAX(acked, until) :: else fi;
        until = 0;
        isAsSeen[0] = 0; isAsSeen[1] = 0;
        isOtherLog = (IS_OTHER(answeredSince) -> 1 : 0);
        hasCaughtUp = isOtherLog | hasCaughtUp;
        messageSince = isSaved; message = ANSWERED; messageApplied = 0; messageHead = head
      fi;
      CHECK }
  :: d_step { message == SENT -> withoutMessage(); CHECK }
  :: d_step { message == SENT && lateRenewals > 0 && late == 0 ->
      late = messageApplied + 1; lateSince = answeredSince; lateRenewals--; withoutMessage(); CHECK }
  :: d_step { message >= ANSWERED -> withoutMessage(); CHECK }
  :: d_step { message == EVICTED -> withoutMessage(); unregister(); CHECK }
  :: d_step { message == ANSWERED ->
      age = messageAge; until = messageHead; since = messageSince; isOther = isOtherLog;
      withoutMessage();
      if :: isOther && !HAS(6) -> forgetAll() :: else fi;
      answeredSince = since;
      lease = LEASE - (HAS(1) -> 0 : age);
      flag = (HAS(11) -> 1 : 0);
      if :: HAS(2) -> unapplied = until + 1 :: else -> apply(until) fi;
      age = 0; until = 0; since = 0; isOther = 0;
      CHECK }
  :: d_step { late > 0 ->
      /* A renewal with a higher number may have been carried out: the row keeps that number. */
      if :: MAY_ACKNOWLEDGE(lateSince) -> acked = MAX(acked, late - 1) :: else fi;
      late = 0; lateSince = 0; CHECK }
  :: d_step { unapplied > 0 -> until = unapplied - 1; unapplied = 0; apply(until); until = 0; CHECK }

  /* A restore ends all connections, and takes as long as a lease. */
  :: d_step { restores > 0 && !isSaved ->
      isSaved = 1; savedHead = head; savedRow = row; savedAcked = acked;
      savedRevokedAt[0] = revokedAt[0]; savedRevokedAt[1] = revokedAt[1]; CHECK }
  :: d_step { restores > 0 && isSaved && !isCommitting && !unapplied && lease == 0 &&
      !(message >= ANSWERED && messageAge < LEASE) -> restore(); CHECK }

  /* A standby takes over with all that was answered. The node stays with the old primary for a while. */
  :: d_step { replacements > 0 ->
      replacements = 0; isReplaced = 1;
      isAliveThere[0] = (revokedAt[0] == 0 -> 1 : 0); isAliveThere[1] = (revokedAt[1] == 0 -> 1 : 0);
      if :: message == SENT -> withoutMessage() :: else fi;
      CHECK }
  :: d_step { isReplaced -> isReplaced = 0; isAliveThere[0] = 0; isAliveThere[1] = 0; CHECK }

  LOOKUPS(0)
#if REVOKERS == 2 && KEY1 == 1
  LOOKUPS(1)
#endif
  REVOCATION(0)
#if REVOKERS == 2
  REVOCATION(1)
  /* Both change something in one transaction: one commit, and an entry for each. */
  :: d_step { phase[0] + phase[1] == IDLE -> commit(0); commit(1); CHECK }
#endif
  od
}
