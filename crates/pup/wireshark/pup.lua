-- Pups for Wireshark and tshark, in all four dresses in which they travel:
--   on the experimental Ethernet (link type 2), as hopscope captures them
--   in UDP datagrams to port 42424, and in Ethernet frames of the types BEEF and 0A00 (hex), as emulators of the Alto
--   send them: the frame of the experimental Ethernet behind its length in words
-- Use it as
--   tshark -X lua_script:pup.lua -r capture.pcapng
-- Source: Pup specification, 1980.

local types = {
  [1] = "Echo me", [2] = "I'm an echo", [3] = "I'm a bad echo", [4] = "Error", [8] = "Rendezvous", [9] = "Abort", [10] = "End", [11] = "End reply",
  [16] = "Data", [17] = "AData", [18] = "Ack", [19] = "Mark", [20] = "Interrupt", [21] = "Interrupt reply", [22] = "AMark",
  [24] = "EFTP Data", [25] = "EFTP Ack", [26] = "EFTP End", [27] = "EFTP Abort",
  [128] = "Gateway request", [129] = "Gateway information",
}

local errors = {
  [1] = "bad checksum", [2] = "no such socket", [3] = "socket full", [513] = "malformed", [514] = "no route",
  [515] = "host down", [516] = "too many hops", [517] = "too large", [518] = "wrong gateway", [519] = "gateway queue full",
}

local pup = Proto("pup", "PARC Universal Packet")
local f = {
  ether_to = ProtoField.uint8("pup.ether.to", "Ethernet destination"),
  ether_from = ProtoField.uint8("pup.ether.from", "Ethernet source"),
  length = ProtoField.uint16("pup.length", "Length"),
  hops = ProtoField.uint8("pup.hops", "Hops"),
  type = ProtoField.uint8("pup.type", "Type", base.OCT, types),
  id = ProtoField.uint32("pup.id", "Identifier"),
  to = ProtoField.string("pup.to", "Destination"),
  from = ProtoField.string("pup.from", "Source"),
  data = ProtoField.bytes("pup.data", "Data"),
  checksum = ProtoField.uint16("pup.checksum", "Checksum", base.HEX),
  good = ProtoField.bool("pup.checksum.good", "Checksum is good"),
  error = ProtoField.uint16("pup.error", "Error code", base.OCT, errors),
  allocation = ProtoField.uint16("pup.allocation.pups", "Pups allowed"),
  words = ProtoField.uint16("pup.frame.words", "Length of the frame in words"),
  number = ProtoField.uint16("pup.fragment.number", "Number of the Pup at its station"),
  part = ProtoField.uint8("pup.fragment.part", "Part, from 0"),
  parts = ProtoField.uint8("pup.fragment.parts", "Parts"),
}
pup.fields = f

-- Add and left cycle in one's complement; minus zero is written as zero.
local function checksum(bytes)
  local sum = 0
  for at = 0, bytes:len() - 2, 2 do
    sum = sum + bytes(at, 2):uint()
    if sum > 0xFFFF then sum = sum - 0xFFFF end
    sum = sum * 2
    if sum > 0xFFFF then sum = sum - 0xFFFF end
  end
  if sum == 0xFFFF then sum = 0 end
  return sum
end

local function port(bytes)
  return string.format("%o#%o#%o", bytes(0, 1):uint(), bytes(1, 1):uint(), bytes(2, 4):uint())
end

local PUP, FRAGMENT = 512, 513

-- A part of a Pup in a radio packet, as hopscope captures it.
local function fragment(buffer, info, tree)
  if buffer:len() < 8 then return false end
  tree:add(f.number, buffer(4, 2))
  tree:add(f.part, buffer(6, 1))
  tree:add(f.parts, buffer(7, 1))
  if buffer:len() > 8 then tree:add(f.data, buffer(8)) end
  info.cols.protocol = "Pup radio"
  info.cols.info = string.format(
    "Part %d of %d of Pup %d, %d bytes", buffer(6, 1):uint() + 1, buffer(7, 1):uint(), buffer(4, 2):uint(),
    buffer:len() - 8)
  return true
end

local function fields(bytes, length, info, tree)
  local padded = length + length % 2
  tree:add(f.length, bytes(0, 2))
  tree:add(f.hops, bytes(2, 1), math.floor(bytes(2, 1):uint() / 16))
  tree:add(f.type, bytes(3, 1))
  tree:add(f.id, bytes(4, 4))
  tree:add(f.to, bytes(8, 6), port(bytes(8, 6)))
  tree:add(f.from, bytes(14, 6), port(bytes(14, 6)))
  if length > 22 then tree:add(f.data, bytes(20, length - 22)) end
  local told = bytes(padded - 2, 2):uint()
  local good = told == 0xFFFF or told == checksum(bytes(0, padded - 2):tvb())
  tree:add(f.checksum, bytes(padded - 2, 2))
  tree:add(f.good, bytes(padded - 2, 2), good)
  local kind = bytes(3, 1):uint()
  if kind == 4 and length >= 46 then tree:add(f.error, bytes(40, 2)) end
  if kind == 18 and length >= 28 then tree:add(f.allocation, bytes(22, 2)) end
  info.cols.protocol = kind >= 24 and kind <= 27 and "EFTP" or "Pup"
  info.cols.src = port(bytes(14, 6))
  info.cols.dst = port(bytes(8, 6))
  info.cols.info = string.format(
    "%s%s id %d, %d bytes", good and "" or "[bad checksum] ", types[kind] or string.format("type %o", kind),
    bytes(4, 4):uint(), length - 22)
end

-- A frame of the experimental Ethernet.
local function frame(buffer, info, root)
  if buffer:len() < 8 then return 0 end
  local kind = buffer(2, 2):uint()
  if kind ~= PUP and kind ~= FRAGMENT then return 0 end
  local length = buffer(4, 2):uint()
  local whole = length >= 22 and length <= 554 and buffer:len() >= 4 + length + length % 2
  if kind == PUP and not whole then return 0 end
  local tree = root:add(pup, buffer())
  tree:add(f.ether_to, buffer(0, 1))
  tree:add(f.ether_from, buffer(1, 1))
  if kind == FRAGMENT then
    fragment(buffer, info, tree)
  else
    fields(buffer(4, length + length % 2), length, info, tree)
  end
  return buffer:len()
end

-- Wireshark has no encapsulation of its own for link type 2: whole packets are looked at when nothing else has been
-- found in them. Frames of today's Ethernet have an address of six bytes there.
local ethernet, internet = Field.new("eth"), Field.new("ip")

function pup.dissector(buffer, info, root)
  if ethernet() or internet() then return 0 end
  return frame(buffer, info, root)
end

register_postdissector(pup, true)

local emulated = Proto("pup_emulated", "Experimental Ethernet of emulated Altos")

function emulated.dissector(buffer, info, root)
  if buffer:len() < 6 then return 0 end
  local words = buffer(0, 2):uint()
  if words < 2 or 2 * words > buffer:len() - 2 then return 0 end
  root:add(f.words, buffer(0, 2))
  return frame(buffer(2, 2 * words):tvb(), info, root)
end

DissectorTable.get("udp.port"):add(42424, emulated)
for _, kind in ipairs({ 0xBEEF, 0x0A00 }) do
  DissectorTable.get("ethertype"):add(kind, emulated)
end
