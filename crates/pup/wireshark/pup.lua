-- Pups on the experimental Ethernet (link type 2), for Wireshark and tshark:
--   tshark -X lua_script:pup.lua -r capture.pcapng
-- Source: Pup specification, 1980.

local types = {
  [1] = "Echo me", [2] = "I'm an echo", [4] = "Error", [8] = "Rendezvous", [9] = "Abort", [10] = "End", [11] = "End reply",
  [16] = "Data", [17] = "AData", [18] = "Ack", [19] = "Mark", [20] = "Interrupt", [21] = "Interrupt reply", [22] = "AMark",
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

function pup.dissector(buffer, info, root)
  if buffer:len() < 26 or buffer(2, 2):uint() ~= 512 then return 0 end
  local length = buffer(4, 2):uint()
  local padded = length + length % 2
  if length < 22 or length > 554 or buffer:len() < 4 + padded then return 0 end
  local bytes = buffer(4, padded)
  local tree = root:add(pup, buffer())
  tree:add(f.ether_to, buffer(0, 1))
  tree:add(f.ether_from, buffer(1, 1))
  tree:add(f.length, bytes(0, 2))
  tree:add(f.hops, bytes(2, 1), math.floor(bytes(2, 1):uint() / 16))
  tree:add(f.type, bytes(3, 1))
  tree:add(f.id, bytes(4, 4))
  tree:add(f.to, bytes(8, 6), port(bytes(8, 6)))
  tree:add(f.from, bytes(14, 6), port(bytes(14, 6)))
  if length > 22 then tree:add(f.data, bytes(20, length - 22)) end
  local told = bytes(padded - 2, 2):uint()
  tree:add(f.checksum, bytes(padded - 2, 2))
  tree:add(f.good, bytes(padded - 2, 2), told == 0xFFFF or told == checksum(bytes(0, padded - 2):tvb()))
  local kind = bytes(3, 1):uint()
  if kind == 4 and length >= 46 then tree:add(f.error, bytes(40, 2)) end
  if kind == 18 and length >= 28 then tree:add(f.allocation, bytes(22, 2)) end
  info.cols.protocol = "Pup"
  info.cols.src = port(bytes(14, 6))
  info.cols.dst = port(bytes(8, 6))
  info.cols.info = string.format("%s id %d, %d bytes", types[kind] or string.format("type %o", kind), bytes(4, 4):uint(), length - 22)
  return buffer:len()
end

-- Wireshark has no encapsulation of its own for link type 2.
register_postdissector(pup, true)
