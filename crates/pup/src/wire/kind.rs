//! The types of Pups and the well-known sockets (Pup specification, 1980).

/// Echo me.
pub const ECHO_ME: u8 = 0o1;
/// I am an echo.
pub const I_AM_AN_ECHO: u8 = 0o2;
/// An error report.
pub const ERROR: u8 = 0o4;
/// Rendezvous: a request for connection, and the answer to one.
pub const RENDEZVOUS: u8 = 0o10;
/// The connection is broken off.
pub const ABORT: u8 = 0o11;
/// The connection is to end.
pub const END: u8 = 0o12;
/// The answer to an end, and the answer to that.
pub const END_REPLY: u8 = 0o13;
/// Bytes of a stream.
pub const DATA: u8 = 0o20;
/// Bytes of a stream, with the demand for an acknowledgment.
pub const A_DATA: u8 = 0o21;
/// An acknowledgment.
pub const ACK: u8 = 0o22;
/// A mark in a stream.
pub const MARK: u8 = 0o23;
/// A message beside the stream.
pub const INTERRUPT: u8 = 0o24;
/// The answer to it.
pub const INTERRUPT_REPLY: u8 = 0o25;
/// A mark, with the demand for an acknowledgment.
pub const A_MARK: u8 = 0o26;
/// EFTP: a block of a file.
pub const EFTP_DATA: u8 = 0o30;
/// EFTP: the block, or the end, has come.
pub const EFTP_ACK: u8 = 0o31;
/// EFTP: the file is complete.
pub const EFTP_END: u8 = 0o32;
/// EFTP: the transfer is broken off.
pub const EFTP_ABORT: u8 = 0o33;
/// A request for routes.
pub const GATEWAY_REQUEST: u8 = 0o200;
/// My routes.
pub const GATEWAY_INFORMATION: u8 = 0o201;

/// The socket of the gateway information protocol.
pub const GATEWAY_SOCKET: u32 = 2;
/// The socket that echoes.
pub const ECHO_SOCKET: u32 = 5;
